/**
 * The plugin's row in the person's own files, for what the page saves. Everything else in a file stays as it is,
 * comments included. dsh watches these files and tells every changed row to its plugin.
 */
import { chmod, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { isMap, isSeq, parseDocument, type Document, type YAMLMap } from 'yaml'
import { DEFAULTS, KEYS, PAST_KEYS, type AdvisorConfig } from '../common/advisor.ts'
import { asRecord, attempt, describe } from './guard.ts'
import type { Context } from './types.ts'

/** A file over this is nobody's row. */
const MAX_BYTES = 4 * 1024 * 1024

export class RowProblem extends Error {}

export class RowFiles {
  #ctx: Context
  #queue: Promise<unknown> = Promise.resolve()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** The files in which a person changes the row; the last one has the last word. Nothing: the host does not tell where. */
  files(): string[] {
    const base = attempt(() => this.#ctx.baseUrl, undefined)
    if (typeof base !== 'string' || !/^file:.*\/profiles\/[^/]+\/$/.test(base)) return []
    return [fileURLToPath(new URL('cordis.patch.yml', base)), fileURLToPath(new URL('../../cordis.patch.yml', base))]
  }

  /** The id of this mount's row. */
  id(): string {
    const entry = attempt(() => asRecord(asRecord(asRecord(this.#ctx.fiber)?.['entry'])?.['options']), undefined)
    return typeof entry?.['id'] === 'string' ? entry['id'] : 'suggest'
  }

  /** Writes the advisor's section, whole or not at all. `row` is the configuration in force. */
  save(row: Record<string, unknown>, section: AdvisorConfig): Promise<void> {
    const run = this.#queue.then(() => this.#save(row, section))
    this.#queue = run.catch(() => {})
    return run
  }

  async #save(row: Record<string, unknown>, section: AdvisorConfig): Promise<void> {
    const files = this.files()
    const own = files[0]
    if (own === undefined) throw new RowProblem('this host does not tell where its profile is')
    for (const file of files.reverse()) {
      const document = await read(file)
      const config = document === undefined ? undefined : configOf(document, this.id())
      if (document === undefined || config === undefined) continue
      if (!same(config.toJSON(), row)) throw new RowProblem(`the row in force is not the one in ${file}: an overlay changes it`)
      change(document, config, section)
      return write(file, document)
    }
    const document = (await read(own)) ?? parseDocument('')
    const list = document.contents
    if (list !== null && !isSeq(list)) throw new RowProblem(`${own} is no list`)
    const entry = document.createNode({ id: this.id(), config: row }) as YAMLMap
    const config = entry.get('config', true) as unknown as YAMLMap
    change(document, config, section)
    if (isSeq(list)) {
      list.flow = false
      list.add(entry)
    } else document.contents = document.createNode([entry]) as never
    return write(own, document)
  }
}

async function read(file: string): Promise<Document | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw new RowProblem(`${file} cannot be read: ${describe(error)}`)
  }
  if (text.length > MAX_BYTES) throw new RowProblem(`${file} is too large`)
  const document = parseDocument(text, { logLevel: 'silent' })
  const [error] = document.errors
  if (error !== undefined) throw new RowProblem(`${file} cannot be read: ${error.code}`)
  return document
}

/** The last configuration that the file gives the row: a later one replaces an earlier one whole. */
function configOf(document: Document, id: string): YAMLMap | undefined {
  const list = document.contents
  let found: YAMLMap | undefined
  const look = (entry: unknown): void => {
    if (!isMap(entry)) return
    const inserted = entry.get('insert', true)
    if (isSeq(inserted)) return inserted.items.forEach(look)
    const config = entry.get('config', true)
    if (entry.get('id') === id && isMap(config)) found = config
  }
  if (isSeq(list)) list.items.forEach(look)
  return found
}

/** Whether the file's row is the one in force. An expression of the host has another value there than in the file. */
function same(file: unknown, row: Record<string, unknown>): boolean {
  const there = asRecord(file) ?? {}
  const keys = new Set([...Object.keys(there), ...Object.keys(row)])
  return [...keys].every(key => key in there && key in row) && JSON.stringify(sorted(there['advisor'])) === JSON.stringify(sorted(row['advisor']))
}

export function sorted(value: unknown): unknown {
  const record = asRecord(value)
  return record === undefined ? (value ?? null) : Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Sets what differs, and takes the keys of the past out. A default that nobody wrote down stays unwritten. */
function change(document: Document, config: YAMLMap, section: AdvisorConfig): void {
  if (!isMap(config.get('advisor', true))) config.set('advisor', document.createNode({}))
  const map = config.get('advisor', true) as unknown as YAMLMap
  for (const key of PAST_KEYS) map.delete(key)
  for (const key of KEYS) {
    const value = section[key]
    if (map.has(key) ? map.get(key) !== value : value !== DEFAULTS[key]) map.set(key, value)
  }
}

/** Readers, dsh's watcher first of all, see the old file or the new one. */
async function write(file: string, document: Document): Promise<void> {
  const target = await realpath(file).catch(() => file)
  const beside = `${target}.${process.pid}.tmp`
  try {
    const mode = await stat(target).then(stat => stat.mode & 0o777, () => 0o600)
    await writeFile(beside, document.toString({ lineWidth: 0 }))
    await chmod(beside, mode)
    await rename(beside, target)
  } catch (error) {
    await rm(beside, { force: true }).catch(() => {})
    throw new RowProblem(`${file} cannot be written: ${describe(error)}`)
  }
}
