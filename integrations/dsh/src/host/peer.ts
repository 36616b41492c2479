/** JSON-RPC 2.0 over lines, both ways. Knows nothing of processes: it is given a way to write and is fed lines. */
import { asRecord } from './guard.ts'

/** A message over this is not read: nothing that either side sends comes near it. */
export const MAX_LINE = 8 * 1024 * 1024

export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export interface Handlers {
  request(method: string, params: Record<string, unknown>): Promise<unknown> | unknown
  notification(method: string, params: Record<string, unknown>): void
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

export class Peer {
  /** Lines that were no message of the protocol. */
  garbage = 0
  #next = 1
  #waiting = new Map<number, Waiting>()
  #write: (line: string) => void
  #handlers: Handlers
  #closed = false

  constructor(write: (line: string) => void, handlers: Handlers) {
    this.#write = write
    this.#handlers = handlers
  }

  notify(method: string, params: unknown): void {
    if (!this.#closed) this.#write(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }

  request(method: string, params: unknown, timeoutMs: number): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Error('the sidecar is gone'))
    const id = this.#next++
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id)
        reject(new Error(`no answer to ${method} within ${timeoutMs} ms`))
      }, timeoutMs)
      timer.unref?.()
      this.#waiting.set(id, { resolve, reject, timer })
      this.#write(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  receive(line: string): void {
    if (this.#closed || line.trim() === '') return
    let message: Record<string, unknown> | undefined
    try {
      message = asRecord(JSON.parse(line))
    } catch {
      message = undefined
    }
    if (message === undefined) {
      this.garbage++
      return
    }
    const { id, method } = message
    if (typeof method === 'string') {
      const params = asRecord(message['params']) ?? {}
      if (typeof id === 'number' || typeof id === 'string') this.#answer(id, method, params)
      else this.#handlers.notification(method, params)
    } else if (typeof id === 'number') this.#settle(id, message)
    else this.garbage++
  }

  /** Nothing is written or handled after this; who waits for an answer learns that none comes. */
  close(why: string): void {
    this.#closed = true
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.timer)
      waiting.reject(new Error(why))
    }
    this.#waiting.clear()
  }

  #settle(id: number, message: Record<string, unknown>): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) {
      this.garbage++
      return
    }
    this.#waiting.delete(id)
    clearTimeout(waiting.timer)
    const error = asRecord(message['error'])
    if (error === undefined) waiting.resolve(message['result'])
    else waiting.reject(new RpcError(Number(error['code'] ?? 0), String(error['message'] ?? 'refused'), error['data']))
  }

  #answer(id: number | string, method: string, params: Record<string, unknown>): void {
    // A request that can be answered at once is: a submission is compared and made in one synchronous block.
    const fail = (error: unknown): void => {
      const refusal = error instanceof RpcError ? error : new RpcError(-32603, error instanceof Error ? error.message : 'failed')
      this.#send({ jsonrpc: '2.0', id, error: { code: refusal.code, message: refusal.message, data: refusal.data } })
    }
    try {
      const result = this.#handlers.request(method, params)
      if (result instanceof Promise) result.then(value => this.#send({ jsonrpc: '2.0', id, result: value }), fail)
      else this.#send({ jsonrpc: '2.0', id, result })
    } catch (error) {
      fail(error)
    }
  }

  #send(message: unknown): void {
    if (!this.#closed) this.#write(JSON.stringify(message))
  }
}

/** Cuts a stream into lines; a line that is too long is skipped and counted. */
export class Lines {
  skipped = 0
  #parts: string[] = []
  #length = 0
  #skipping = false
  #onLine: (line: string) => void

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  push(chunk: string): void {
    let from = 0
    for (;;) {
      const end = chunk.indexOf('\n', from)
      if (end < 0) break
      this.#take(chunk.slice(from, end))
      if (!this.#skipping) this.#onLine(this.#parts.join(''))
      this.#parts = []
      this.#length = 0
      this.#skipping = false
      from = end + 1
    }
    this.#take(chunk.slice(from))
  }

  #take(part: string): void {
    if (part === '' || this.#skipping) return
    this.#length += part.length
    if (this.#length > MAX_LINE) {
      this.skipped++
      this.#skipping = true
      this.#parts = []
    } else this.#parts.push(part)
  }
}
