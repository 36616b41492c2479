/** What the page knows: one event stream for all sessions; where there is none, the state is asked for. */
import { parseBlock } from '../common/block.ts'
import { readFrame, type Frame, type VerbAnswer } from '../common/state.ts'

/** A page that nobody looks at for so long gives its connection back: a browser has six for all tabs. */
const HIDDEN_MS = 30_000
/** A broken stream is not worth a word if it comes back at once. */
const GRACE_MS = 1_500

export interface View {
  frame: Frame | null
  connected: boolean
  /** A text that a typed command brought for the input, once each. */
  fill?: { number: number; text: string }
}

/** An observable value of the shape that the host's slots take. */
export interface Store {
  getSnapshot(): View
  subscribe(listener: () => void): () => void
}

class SessionStore implements Store {
  #view: View
  #listeners = new Set<() => void>()
  constructor(connected: boolean) {
    this.#view = { frame: null, connected }
  }
  getSnapshot = (): View => this.#view
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  set(view: View): void {
    if (view.frame === this.#view.frame && view.connected === this.#view.connected) return
    const { fill } = this.#view
    this.#show(fill === undefined ? view : { ...view, fill })
  }
  fill(text: string): void {
    this.#show({ ...this.#view, fill: { number: (this.#view.fill?.number ?? 0) + 1, text } })
  }
  #show(view: View): void {
    this.#view = view
    for (const listener of [...this.#listeners]) listener()
  }
}

export interface Calls {
  rpc(method: string, args: Record<string, string>): Promise<unknown>
  command(session: string, line: string): Promise<unknown>
}

export class Feed {
  #stores = new Map<string, SessionStore>()
  #calls: Calls
  #source: EventSource | undefined
  #connected = true
  #pushed = false
  #fresh: Set<string> | undefined
  #broken: ReturnType<typeof setTimeout> | undefined
  #hidden: ReturnType<typeof setTimeout> | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** A text for the input of a session, wherever its bar is. */
  fill(session: string, text: string): void {
    this.#of(session).fill(text)
  }

  store(session: string): Store {
    return this.#of(session)
  }

  #of(session: string): SessionStore {
    let store = this.#stores.get(session)
    if (store === undefined) {
      store = new SessionStore(this.#connected)
      this.#stores.set(session, store)
    }
    return store
  }

  start(): () => void {
    const look = (): void => {
      clearTimeout(this.#hidden)
      if (document.hidden) this.#hidden = setTimeout(() => this.#stop(), HIDDEN_MS)
      else this.#listen()
    }
    document.addEventListener('visibilitychange', look)
    this.#listen()
    return () => {
      this.#closed = true
      document.removeEventListener('visibilitychange', look)
      clearTimeout(this.#hidden)
      this.#stop()
    }
  }

  /** One verb of the human. Without the call of our own, the command does it. */
  async verb(session: string, line: string): Promise<VerbAnswer> {
    try {
      const answer = await this.#calls.rpc('verb', { session, line })
      const read = readAnswer(answer)
      if (read !== undefined) return read
    } catch {
      // The command below says what is wrong.
    }
    try {
      const { text, ok } = commandText(await this.#calls.command(session, `/suggest ${line}`))
      return { text, code: ok ? 'ok' : 'refused' }
    } catch {
      return { text: '', code: 'unlinked' }
    }
  }

  /** Asks for the state, on an edge that the page sees, where nothing pushes it. */
  async pull(session: string): Promise<void> {
    if (this.#pushed) return
    try {
      const answer = unwrap(await this.#calls.rpc('state', { session }))
      const frame = readFrame(answer)
      if (frame !== undefined) return this.#take(frame)
      if (answer === null) return
    } catch {
      // An older or newer host without our call.
    }
    try {
      const { text } = commandText(await this.#calls.command(session, '/suggest state'))
      const frame = parseBlock(session, text)
      if (frame !== undefined) this.#of(session).set({ frame, connected: true })
    } catch {
      // Nothing is known: nothing is shown.
    }
  }

  #listen(): void {
    if (this.#closed || this.#source !== undefined || typeof EventSource === 'undefined') return
    clearTimeout(this.#again)
    const source = new EventSource('/suggest/events')
    this.#source = source
    source.addEventListener('begin', () => {
      this.#fresh = new Set()
    })
    source.addEventListener('frame', event => {
      let frame: Frame | undefined
      try {
        frame = readFrame(JSON.parse((event as MessageEvent<string>).data))
      } catch {
        frame = undefined
      }
      if (frame === undefined) return
      this.#fresh?.add(frame.session)
      this.#take(frame)
    })
    source.addEventListener('fill', event => {
      // The command was typed in one page; the others show the session, too.
      if (document.hidden || !document.hasFocus()) return
      try {
        const { session, text } = JSON.parse((event as MessageEvent<string>).data) as Record<string, unknown>
        if (typeof session === 'string' && typeof text === 'string') this.#of(session).fill(text)
      } catch {
        // The command's own answer has the text.
      }
    })
    source.addEventListener('synced', () => {
      this.#pushed = true
      // A server that started anew may not know a session of before.
      for (const [session, store] of this.#stores) if (this.#fresh?.has(session) === false) store.set({ frame: null, connected: true })
      this.#fresh = undefined
      this.#connect(true)
    })
    source.onerror = () => {
      this.#broken ??= setTimeout(() => this.#connect(false), GRACE_MS)
      if (source.readyState !== EventSource.CLOSED) return
      // The browser gave up: the server refused, or something else answered.
      this.#source = undefined
      this.#pushed = false
      if (!this.#closed) this.#again = setTimeout(() => this.#listen(), 3_000)
    }
  }

  #stop(): void {
    clearTimeout(this.#again)
    clearTimeout(this.#broken)
    this.#broken = undefined
    this.#source?.close()
    this.#source = undefined
  }

  #take(frame: Frame): void {
    const store = this.#of(frame.session)
    store.set({ frame, connected: true })
  }

  #connect(connected: boolean): void {
    clearTimeout(this.#broken)
    this.#broken = undefined
    this.#connected = connected
    for (const store of this.#stores.values()) store.set({ frame: store.getSnapshot().frame, connected })
  }
}

/** The value inside the host's `{ok, value}`, or the value itself. */
export function unwrap(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('ok' in answer)) return answer
  const { ok, value, error } = answer as { ok: unknown; value?: unknown; error?: unknown }
  if (ok !== true) throw new Error(String(error))
  return value
}

function readAnswer(answer: unknown): VerbAnswer | undefined {
  const value = unwrap(answer)
  if (typeof value !== 'object' || value === null) return undefined
  const { text, code, fill } = value as Record<string, unknown>
  if (typeof text !== 'string' || typeof code !== 'string') return undefined
  return typeof fill === 'string' ? { text, code, fill } : { text, code }
}

function commandText(answer: unknown): { text: string; ok: boolean } {
  const value = unwrap(answer) as { result?: { kind?: unknown; text?: unknown } } | null
  const { kind, text } = value?.result ?? {}
  return { text: typeof text === 'string' ? text : '', ok: kind === 'success' }
}
