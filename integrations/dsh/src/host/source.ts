/** Marking the messages that the plugin writes, as the log format of the session wants it. */
import type { HostSession, Source } from './types.ts'

/** The producer of the loop's rounds and the one of the advisor's notes (rule A7). */
export type Producer = 'suggest' | 'advisor'

/**
 * The source of a message of ours. Logs of format 4 and later want the producer as the kind; older ones know one kind
 * for all plugins, and would not survive the host's own migration with another.
 */
export function sourceOf(session: HostSession, producer: Producer, summary?: string): Source {
  const notice = summary === undefined ? {} : { form: 'notice', summary: shorten(summary, 120) }
  const format = typeof session.header.version === 'number' ? session.header.version : 0
  return format >= 4 ? { kind: producer, ...notice } : { kind: 'plugin', plugin: producer, ...notice }
}

/** Whether it is a note of the advisor, in whichever shape a host keeps it. */
export function isNote(source: Source | undefined): boolean {
  return source?.kind === 'advisor' || source?.kind === 'plugin:advisor' || (source?.kind === 'plugin' && source['plugin'] === 'advisor')
}

/** The source of a prompt that the human ran with a click: it is their own turn. */
export const HUMAN: Source = { kind: 'user' }

/** At most so many characters, never half of one. */
export function shorten(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line.length <= most) return line
  const kept = [...new Intl.Segmenter().segment(line)].map(part => part.segment)
  let out = ''
  for (const part of kept) {
    if (out.length + part.length > most - 1) break
    out += part
  }
  return `${out}…`
}
