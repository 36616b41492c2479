/** The event stream of the pages: one connection a page carries all sessions. */
import type { Frame } from '../common/state.ts'
import type { Frames } from './frames.ts'
import { guarded } from './guard.ts'
import { trusted } from './trust.ts'
import type { HttpRequest, HttpResponse, Logger } from './types.ts'

export const PATH = '/suggest/events'

const MAX_PAGES = 64
const HEARTBEAT_MS = 15_000
/** A page that took nothing for so long is gone. */
const STUCK_MS = 30_000

export class Route {
  #frames: Frames
  #trustedHosts: () => readonly string[]
  #log: Logger
  #pages = new Set<Page>()

  constructor(frames: Frames, trustedHosts: () => readonly string[], log: Logger) {
    this.#frames = frames
    this.#trustedHosts = trustedHosts
    this.#log = log
  }

  get pages(): number {
    return this.#pages.size
  }

  handle(request: HttpRequest, response: HttpResponse): void {
    const refuse = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain', 'cache-control': 'no-store' })
      response.end(text)
    }
    if (!trusted(request, this.#trustedHosts())) return refuse(403, 'forbidden')
    if (request.method !== undefined && request.method !== 'GET') return refuse(405, 'only GET')
    if (this.#pages.size >= MAX_PAGES) return refuse(503, 'too many pages')
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no', 'x-content-type-options': 'nosniff' })
    const page = new Page(response)
    this.#pages.add(page)
    response.on('error', () => page.close())
    const stop = this.#frames.listen(guarded(this.#log, 'pushing a state', (frame: Frame) => page.push(frame)))
    const close = guarded(this.#log, 'closing a page', () => {
      stop()
      page.close()
      this.#pages.delete(page)
    })
    response.on('close', close)
    page.begin(this.#frames.all())
  }

  /** Offers a text for the input of a session to the pages, once. Gives whether there is any page. */
  fill(session: string, text: string): boolean {
    for (const page of this.#pages) page.fill(session, text)
    return this.#pages.size > 0
  }

  close(): void {
    for (const page of this.#pages) page.close()
    this.#pages.clear()
  }
}

/** A page's end of the stream. What a slow page has not taken yet is one frame a session: the latest. */
class Page {
  #response: HttpResponse
  #waiting = new Map<string, Frame>()
  #blocked = false
  #closed = false
  #heartbeat: NodeJS.Timeout
  #stuck: NodeJS.Timeout | undefined

  constructor(response: HttpResponse) {
    this.#response = response
    this.#heartbeat = setInterval(() => {
      if (!this.#blocked) this.#write(': still here\n\n')
    }, HEARTBEAT_MS)
    this.#heartbeat.unref()
    response.on('drain', () => this.#drained())
  }

  begin(frames: readonly Frame[]): void {
    this.#write('retry: 1000\nevent: begin\ndata: {}\n\n')
    for (const frame of frames) this.push(frame)
    this.#write('event: synced\ndata: {}\n\n')
  }

  push(frame: Frame): void {
    if (this.#closed) return
    if (this.#blocked) this.#waiting.set(frame.session, frame)
    else this.#write(`event: frame\ndata: ${JSON.stringify(frame)}\n\n`)
  }

  /** A page that does not read now has nobody before it who waits for the text. */
  fill(session: string, text: string): void {
    if (!this.#blocked) this.#write(`event: fill\ndata: ${JSON.stringify({ session, text })}\n\n`)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#heartbeat)
    clearTimeout(this.#stuck)
    this.#waiting.clear()
    try {
      this.#response.end()
      // A client that reads nothing would keep the connection for ever.
      const timer = setTimeout(() => this.#response.destroy(), 1_000)
      timer.unref()
      this.#response.on('close', () => clearTimeout(timer))
    } catch {
      // It is closed already.
    }
  }

  #write(text: string): void {
    if (this.#closed) return
    if (this.#response.write(text) || this.#blocked) return
    this.#blocked = true
    this.#stuck = setTimeout(() => this.close(), STUCK_MS)
    this.#stuck.unref()
  }

  #drained(): void {
    clearTimeout(this.#stuck)
    this.#blocked = false
    const frames = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const frame of frames) this.push(frame)
  }
}
