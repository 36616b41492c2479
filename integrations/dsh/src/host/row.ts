/**
 * The plugin's row in the person's own files, for what the page saves. Every other value in a file stays as it is, and so
 * do the comments: what a new text would lose is looked for before it is written, and then nothing is. dsh watches these
 * files and tells every changed row to its plugin.
 */
import { lstat, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { isMap, isNode, isSeq, Lexer, parseDocument, type Document, type Pair, type YAMLMap } from 'yaml'
import { DEFAULTS, KEYS, PAST_KEYS, type AdvisorConfig } from '../common/advisor.ts'
import { asRecord, attempt, describe } from './guard.ts'
import type { Context } from './types.ts'

/** A file over this is nobody's row. */
const MAX_BYTES = 1024 * 1024
/** What the lexer says before the text of a scalar. */
const SCALAR = '\x1f'
const BYTE_ORDER_MARK = '\ufeff'

/** A file as it was read. */
interface Source {
  file: string
  /** Where its links lead. */
  target: string
  bytes: Buffer
  mode: number
  text: string
  document: Document
}

/** The same, or what stands for a file that is not there yet. */
type Unwritten = Omit<Source, 'bytes'> & { bytes: Buffer | undefined }

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
      const source = await read(file)
      const config = source === undefined ? undefined : configOf(source.document, this.id())
      if (source === undefined || config === undefined) continue
      if (!same(config.toJS(source.document), row)) throw new RowProblem(`the row in force is not the one in ${file}: an overlay changes it`)
      const { changed, dropped } = change(source.document, config, section)
      if (!changed) return
      const text = source.document.toString({ lineWidth: 0 })
      keeps(source, text, dropped, document => withoutSection(document, this.id()))
      return write(source, text)
    }
    const source: Unwritten = (await read(own)) ?? { file: own, target: own, bytes: undefined, mode: 0o600, text: '', document: parseDocument('') }
    const { document } = source
    const list = document.contents
    if (list !== null && !isSeq(list)) throw new RowProblem(`${own} is no list`)
    const entry = document.createNode({ id: this.id(), config: row }) as YAMLMap
    const config = entry.get('config', true) as unknown as YAMLMap
    change(document, config, section)
    if (isSeq(list)) {
      list.flow = false
      list.add(entry)
    } else document.contents = document.createNode([entry]) as never
    const text = document.toString({ lineWidth: 0 })
    keeps(source, text, [], (document, is) => (is === 'after' ? plain(document).slice(0, -1) : plain(document)))
    return write(source, text)
  }
}

async function read(file: string): Promise<Source | undefined> {
  const cannot = (why: string): RowProblem => new RowProblem(`${file} cannot be read: ${why}`)
  let target: string
  let bytes: Buffer
  let mode: number
  try {
    target = await realpath(file)
    const found = await stat(target)
    // A pipe would keep this waiting, and every later save behind it.
    if (!found.isFile()) throw new RowProblem(`${file} is no file`)
    if (found.size > MAX_BYTES) throw new RowProblem(`${file} is too large`)
    mode = found.mode & 0o777
    bytes = await readFile(target)
  } catch (error) {
    if (error instanceof RowProblem) throw error
    if ((error as { code?: unknown }).code !== 'ENOENT') throw cannot(describe(error))
    if (await lstat(file).then(() => true, () => false)) throw cannot('it is a link that leads nowhere')
    return undefined
  }
  const whole = attempt(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), undefined)
  if (whole === undefined) throw cannot('it is not UTF-8')
  const text = whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(1) : whole
  // A silent parser would not say that it took the first of several documents alone.
  const document = parseDocument(text, { logLevel: 'error' })
  const [error] = document.errors
  if (error !== undefined) throw cannot(error.code)
  return { file, target, bytes, mode, text, document }
}

/** Throws when the new text would lose or change anything else, as an anchor that other rows name would. */
function keeps(source: Unwritten, text: string, dropped: readonly string[], others: (document: Document, is: 'before' | 'after') => unknown): void {
  const before = parseDocument(source.text, { logLevel: 'error' })
  const after = parseDocument(text, { logLevel: 'error' })
  const refused = (what: string): RowProblem => new RowProblem(`${source.file} cannot be changed without ${what}: change the row by hand`)
  if (after.errors.length > 0 || JSON.stringify(others(before, 'before')) !== JSON.stringify(others(after, 'after'))) throw refused('changing what else is in it')
  const left = [...comments(text), ...dropped]
  for (const comment of comments(source.text)) {
    const at = left.indexOf(comment)
    if (at < 0) throw refused('losing a comment')
    left.splice(at, 1)
  }
}

function plain(document: Document): unknown[] {
  // Values that share an anchor must not share a change.
  return JSON.parse(JSON.stringify(document.toJS() ?? [])) as unknown[]
}

/** The values of a file but for the section of the row. */
function withoutSection(document: Document, id: string): unknown[] {
  const list = plain(document)
  let found: Record<string, unknown> | undefined
  const look = (entry: unknown): void => {
    const { id: name, insert, config } = asRecord(entry) ?? {}
    if (Array.isArray(insert)) return insert.forEach(look)
    if (name === id) found = asRecord(config) ?? found
  }
  list.forEach(look)
  if (found !== undefined) delete found['advisor']
  return list
}

function comments(text: string): string[] {
  const found: string[] = []
  let last = ''
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith('#') && last !== SCALAR) found.push(token.trim())
    last = token
  }
  return found
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

/** Sets what differs, and takes the keys of the past out with their comments. A default that nobody wrote down stays unwritten. */
function change(document: Document, config: YAMLMap, section: AdvisorConfig): { changed: boolean; dropped: string[] } {
  const dropped: string[] = []
  let changed = false
  const there: unknown = config.get('advisor', true)
  const map = isMap(there) ? (there as YAMLMap) : (document.createNode({}) as YAMLMap)
  for (const key of PAST_KEYS) {
    const pair = map.items.find(({ key: name }) => String(name) === key)
    if (pair === undefined) continue
    dropped.push(...commentsOf(pair))
    changed = map.delete(key) || changed
  }
  for (const key of KEYS) {
    const value = section[key]
    const node = map.get(key, true) as unknown
    const held = isNode(node) ? (node.toJS(document) as unknown) : node
    if (!(map.has(key) ? held !== value : value !== DEFAULTS[key])) continue
    map.set(key, value)
    changed = true
  }
  if (changed && map !== there) {
    // What was said about the section before there was any.
    if (isNode(there)) map.commentBefore = [there.commentBefore, there.comment].filter(Boolean).join('\n') || null
    config.set('advisor', map)
  }
  return { changed, dropped }
}

function commentsOf({ key, value }: Pair): string[] {
  const texts = [key, value].flatMap(node => (isNode(node) ? [node.commentBefore, node.comment] : []))
  return texts.flatMap(text => (text ?? '').split('\n')).map(line => `#${line}`.trim()).filter(line => line !== '#')
}

/** Readers, dsh's watcher first of all, see the old file or the new one, and after a crash, too. */
async function write({ file, target, bytes, mode, text: old }: Unwritten, text: string): Promise<void> {
  const beside = `${target}.${process.pid}.tmp`
  const cannot = (why: string): RowProblem => new RowProblem(`${file} cannot be written: ${why}`)
  // Putting another file in its place would pass over what its owner forbade.
  if ((mode & 0o222) === 0) throw cannot('it is read-only')
  const isOfWindows = /\r\n/.test(old) && !/(^|[^\r])\n/.test(old)
  const mark = bytes?.toString('utf8', 0, 3) === BYTE_ORDER_MARK ? BYTE_ORDER_MARK : ''
  try {
    await rm(beside, { force: true })
    const out = await open(beside, 'wx', mode)
    try {
      await out.chmod(mode)
      await out.writeFile(mark + (isOfWindows ? text.replace(/\n/g, '\r\n') : text))
      await out.sync()
    } finally {
      await out.close()
    }
    const now = await readFile(target).catch((error: { code?: unknown }) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (bytes === undefined ? now !== undefined : now === undefined || !bytes.equals(now)) throw cannot('somebody changed it meanwhile; try again')
    await rename(beside, target)
  } catch (error) {
    await rm(beside, { force: true }).catch(() => {})
    throw error instanceof RowProblem ? error : cannot(describe(error))
  }
}
