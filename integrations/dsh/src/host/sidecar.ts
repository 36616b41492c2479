/** The `suggest dsh` process: started, watched, and started again with growing pauses. It may die at any moment. */
import { spawn, type ChildProcess } from 'node:child_process'
import { homedir } from 'node:os'
import type { Binary } from './binary.ts'
import { asRecord, describe } from './guard.ts'
import { Lines, Peer, RpcError, type Handlers } from './peer.ts'
import type { Logger } from './types.ts'

export const PROTOCOL = 1

/** The first pause before a restart, doubled up to the last; a sidecar that lived this long starts the row anew. */
const FIRST_PAUSE_MS = 250
const LAST_PAUSE_MS = 30_000
const HEALTHY_MS = 30_000
/** A human may ask for the next attempt before its time, but not more often than this. */
const NUDGE_MS = 1_000

const HELLO_MS = 10_000
/** A sidecar that lets so many bytes wait does not read any more. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024

export interface Greeting {
  version: string
  off: { code: string; message: string } | null
}

export interface Events extends Handlers {
  /** The handshake is done; sessions can be told. */
  linked(greeting: Greeting): void
  /** There is no sidecar now, and why; another attempt follows. */
  unlinked(code: string, message: string): void
}

export interface Options {
  find: () => Binary
  hello: () => unknown
  events: Events
  log: Logger
  firstPauseMs?: number
}

export class Sidecar {
  #options: Options
  #child: ChildProcess | undefined
  #peer: Peer | undefined
  #linked = false
  #disposed = false
  #failures = 0
  #unanswered = 0
  #attempted = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
  }

  get linked(): boolean {
    return this.#linked
  }

  /** The process id, for tests and logs. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Bytes that wait for the sidecar to read. */
  get waiting(): number {
    return this.#child?.stdin?.writableLength ?? 0
  }

  start(): void {
    if (this.#disposed || this.#child !== undefined) return
    clearTimeout(this.#timer)
    this.#attempted = Date.now()
    const found = this.#options.find()
    if ('problem' in found) return this.#lost('no-binary', found.problem, LAST_PAUSE_MS)
    const started = Date.now()
    let child: ChildProcess
    try {
      child = spawn(found.path, ['dsh'], { stdio: ['pipe', 'pipe', 'pipe'], cwd: homedir(), windowsHide: true })
    } catch (error) {
      return this.#lost('not-started', describe(error))
    }
    this.#child = child
    let over = false
    const end = (code: string, message: string): void => {
      if (over) return
      over = true
      if (this.#child !== child) return
      this.#child = undefined
      this.#linked = false
      this.#peer?.close('the sidecar is gone')
      this.#peer = undefined
      child.kill('SIGKILL')
      if (Date.now() - started > HEALTHY_MS) this.#failures = 0
      if (!this.#disposed) this.#lost(code, message)
    }
    // Without a listener for each of these, the host would end.
    child.on('error', error => end('not-started', describe(error)))
    child.on('exit', (code, signal) => end('ended', signal === null ? `it ended with status ${code}` : `it was ended by ${signal}`))
    child.stdin?.on('error', error => end('ended', describe(error)))
    child.stdout?.on('error', error => end('ended', describe(error)))
    child.stderr?.on('error', () => {})

    let queue: string[] = []
    const peer = new Peer(line => {
      // One write for all messages of a moment.
      if (queue.push(line) === 1) queueMicrotask(flush)
    }, this.#options.events)
    const flush = (): void => {
      const lines = queue
      queue = []
      const { stdin } = child
      if (over || stdin === null || stdin.destroyed) return
      stdin.write(`${lines.join('\n')}\n`)
      if (stdin.writableLength > MAX_WAITING_BYTES) end('not-reading', 'it stopped reading')
    }
    this.#peer = peer
    const lines = new Lines(line => {
      if (over || this.#disposed) return
      try {
        peer.receive(line)
      } catch (error) {
        this.#options.log.warn(`a message of the sidecar: ${describe(error)}`)
      }
    })
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => lines.push(chunk))
    let told = 0
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      for (const line of chunk.split('\n')) {
        if (line.trim() !== '' && told++ < 50) this.#options.log.warn(`sidecar: ${line.slice(0, 300)}`)
      }
    })

    peer.request('hello', this.#options.hello(), HELLO_MS).then(
      answer => {
        if (over) return
        const greeting = asRecord(answer)
        if (greeting === undefined || greeting['protocol'] !== PROTOCOL) {
          return end('protocol', `it speaks protocol ${String(greeting?.['protocol'])}, this plugin ${PROTOCOL}`)
        }
        const off = asRecord(greeting['off'])
        this.#linked = true
        this.#options.events.linked({
          version: String(greeting['version'] ?? '?'),
          off: off === undefined ? null : { code: String(off['code'] ?? 'configuration'), message: String(off['message'] ?? '') },
        })
      },
      error => end(error instanceof RpcError && error.code === -32001 ? 'protocol' : 'no-handshake', describe(error)),
    ).catch(error => this.#options.log.warn(`after the handshake: ${describe(error)}`))
  }

  notify(method: string, params: unknown): void {
    if (this.#linked) this.#peer?.notify(method, params)
  }

  /** Asks the sidecar. One that leaves two questions unanswered in a row hangs, and is replaced. */
  async request(method: string, params: unknown, timeoutMs: number): Promise<unknown> {
    const peer = this.#peer
    if (!this.#linked || peer === undefined) throw new Error('the sidecar is not linked')
    try {
      const answer = await peer.request(method, params, timeoutMs)
      this.#unanswered = 0
      return answer
    } catch (error) {
      if (error instanceof RpcError) this.#unanswered = 0
      else if (this.#peer === peer && ++this.#unanswered >= 2) {
        this.#unanswered = 0
        this.#child?.kill('SIGKILL')
      }
      throw error
    }
  }

  /** A human wants it now: the pause before the next attempt is over. */
  nudge(): void {
    if (this.#child === undefined && !this.#disposed && Date.now() - this.#attempted > NUDGE_MS) this.start()
  }

  /** Another one shall run, found anew; `stop` ends this one and starts none. */
  restart(): void {
    if (this.#child === undefined) return this.start()
    this.#failures = 0
    this.#child.kill('SIGKILL')
  }

  stop(): void {
    clearTimeout(this.#timer)
    const child = this.#child
    this.#child = undefined
    this.#linked = false
    this.#peer?.close('the plugin stopped it')
    this.#peer = undefined
    child?.stdin?.end()
    child?.kill('SIGKILL')
  }

  /** Ends the sidecar: its input ends, and it is killed when it does not follow. */
  dispose(): void {
    this.#disposed = true
    this.#linked = false
    clearTimeout(this.#timer)
    this.#peer?.close('the plugin is gone')
    const child = this.#child
    this.#child = undefined
    if (child === undefined) return
    child.stdin?.end()
    const timer = setTimeout(() => child.kill('SIGKILL'), 1_000)
    timer.unref()
    child.once('exit', () => clearTimeout(timer))
  }

  #lost(code: string, message: string, pause?: number): void {
    const first = this.#options.firstPauseMs ?? FIRST_PAUSE_MS
    const wait = pause ?? Math.min(LAST_PAUSE_MS, first * 2 ** Math.min(this.#failures, 16))
    this.#failures++
    this.#options.log.warn(`the engine is not linked (${code}): ${message}; next attempt in ${wait} ms`)
    this.#options.events.unlinked(code, message)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.start(), wait)
    this.#timer.unref()
  }
}
