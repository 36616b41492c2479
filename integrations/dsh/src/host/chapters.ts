/**
 * Chapters of a session that another plugin made: their titles and summaries stand in what the model reads. A plugin
 * answers the event `suggest/chapters` with a session's list, and says each new one with `suggest/chapter`.
 */
import { asRecord } from './guard.ts'

/** So many of a list are read, the newest. */
const MOST = 64
const MAX_TITLE = 200
const MAX_SUMMARY = 4_000

export interface Chapter {
  /** The sequence number of the last event that it covers; one with the same number takes its place. */
  number: number
  title: string
  summary: string
}

/** A chapter, if it is one. What another plugin says may have any shape. */
export function chapter(value: unknown): Chapter | undefined {
  const { number, title, summary } = asRecord(value) ?? {}
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) return undefined
  const read = { number, title: cut(title, MAX_TITLE), summary: cut(summary, MAX_SUMMARY) }
  return read.title + read.summary === '' ? undefined : read
}

/** The chapters of a list, oldest first; none of anything else. */
export function chapters(value: unknown): Chapter[] {
  if (!Array.isArray(value)) return []
  const read = value.slice(-1_000).flatMap(entry => chapter(entry) ?? [])
  return read.sort((one, other) => one.number - other.number).slice(-MOST)
}

function cut(value: unknown, most: number): string {
  return typeof value === 'string' ? value.slice(0, most).replace(/\p{Surrogate}/gu, '\ufffd') : ''
}
