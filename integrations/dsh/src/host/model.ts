/** Model calls through the host's own model service: it holds the routes and the keys. */
import { asRecord, describe } from './guard.ts'
import { RpcError } from './peer.ts'
import { sourceOf } from './source.ts'
import type { HostSession, Llm, LlmFailure, Message } from './types.ts'
import { randomUUID } from 'node:crypto'

/** A reply over this is no prompt any more. */
const MAX_REPLY_CHARACTERS = 1_000_000

const EFFORTS_MS = 60_000

const MAX_DEADLINE_MS = 600_000

/** The error code for all failures of a call; the kind is in the data. */
const CALL_FAILED = -32010

function failed(kind: string, message: string, failure?: LlmFailure): RpcError {
  return new RpcError(CALL_FAILED, message, {
    kind,
    ...(failure?.code === undefined ? {} : { code: failure.code.slice(0, 64) }),
    ...(failure?.status === undefined ? {} : { status: failure.status }),
  })
}

/** The kind of rule L3 for a failure that the host reports. */
export function kindOf(failure: LlmFailure | undefined): string {
  const code = (failure?.code ?? '').toUpperCase()
  const message = (failure?.message ?? '').toLowerCase()
  // Some adapters tell the status only in the text.
  const told = /^\D{0,40}?\b([45]\d\d)\b/.exec(message)?.[1]
  const status = failure?.status ?? (told === undefined ? undefined : Number(told))
  if (code === 'NO_ADAPTER' || code === 'UNKNOWN_MODEL') return 'unknown-model'
  if (code === 'INVALID_CREDENTIAL' || code === 'AUTH' || status === 401 || status === 403) return 'credentials'
  if (code === 'QUOTA' || status === 402 || /insufficient[_ ](quota|balance)|exceeded your current quota/.test(message)) return 'quota'
  if (code === 'CONTEXT_WINDOW_EXCEEDED' || /context[_ ](length|window)|maximum context/.test(message)) return 'context-too-long'
  if (code === 'CONTENT_FILTER' || /content[_ ]filter/.test(message)) return 'filtered'
  if (code.startsWith('UNSUPPORTED_') || /unsupported (parameter|value)|unrecognized request argument/.test(message)) {
    return 'unsupported-parameter'
  }
  if (code === 'EMPTY_RESPONSE') return 'empty'
  if (code === 'RATE_LIMIT' || status === 429 || status === 408 || status === 409) return 'retry-later'
  if (code === 'TIMEOUT') return 'timeout'
  if (code === 'ABORTED') return 'cancelled'
  if (status === 404 && message.includes('model')) return 'unknown-model'
  if (code === 'SERVER' || (status !== undefined && status >= 500)) return 'retry-later'
  if (code === 'TRANSPORT' || /^E[A-Z]+$/.test(code) || /fetch failed|socket|network|connection/.test(message)) return 'network'
  return 'malformed'
}

/** What a person may read of a failure: what the host calls it, never the provider's own text. */
function shown(failure: LlmFailure | undefined): string {
  const code = failure?.code ?? 'unknown'
  return failure?.status === undefined ? `the host's model service says ${code}` : `the host's model service says ${code}, status ${failure.status}`
}

export class Models {
  /** What a model advertises changes only with the host's settings; it is not asked again for every call. */
  #efforts = new Map<string, { at: number; efforts: readonly unknown[] }>()
  #running = new Map<unknown, (kind: 'cancelled' | 'timeout') => void>()
  #llm: Llm

  constructor(llm: Llm) {
    this.#llm = llm
  }

  get running(): number {
    return this.#running.size
  }

  async complete(session: HostSession, params: Record<string, unknown>): Promise<unknown> {
    const { call, provider, model, messages, maxTokens, reasoningEffort, deadlineMs } = params
    if (typeof provider !== 'string' || typeof model !== 'string' || !Array.isArray(messages)) throw new RpcError(-32602, 'a call needs provider, model and messages')
    const system: string[] = []
    const turns: unknown[] = []
    for (const entry of messages) {
      const message = asRecord(entry)
      const role = message?.['role']
      const text = message?.['text']
      if (typeof text !== 'string') throw new RpcError(-32602, 'a message needs a role and a text')
      if (role === 'system') system.push(text)
      else if (role === 'assistant') turns.push({ id: randomUUID(), role, content: [{ type: 'text', text }], source: { kind: 'model', provider, model } })
      else turns.push({ id: randomUUID(), role: 'user', content: [{ type: 'text', text }], source: sourceOf(session, 'suggest') } satisfies Message)
    }
    const abort = new AbortController()
    let stop: (kind: 'cancelled' | 'timeout') => void = () => {}
    const stopped = new Promise<never>((_, reject) => {
      stop = kind => {
        abort.abort()
        reject(failed(kind, kind === 'timeout' ? 'the deadline passed' : 'the call was cancelled'))
      }
    })
    stopped.catch(() => {})
    const ms = typeof deadlineMs === 'number' && deadlineMs > 0 ? Math.min(deadlineMs, MAX_DEADLINE_MS) : 60_000
    const timer = setTimeout(() => stop('timeout'), ms)
    this.#running.set(call, stop)
    try {
      const options: Record<string, unknown> = { provider, model, messages: turns, signal: abort.signal }
      if (system.length > 0) options['system'] = system.join('\n\n')
      if (typeof maxTokens === 'number') options['maxTokens'] = maxTokens
      if (typeof reasoningEffort === 'string' && (await Promise.race([this.#advertises(provider, model, reasoningEffort), stopped]))) {
        options['reasoningEffort'] = reasoningEffort
      }
      // A stream that does not heed its signal is left behind.
      const reading = this.#read(options, abort)
      reading.catch(() => {})
      return await Promise.race([reading, stopped])
    } finally {
      clearTimeout(timer)
      this.#running.delete(call)
    }
  }

  cancel(call: unknown): void {
    this.#running.get(call)?.('cancelled')
  }

  /** The sidecar is gone: nobody waits for the answers. */
  cancelAll(): void {
    for (const stop of [...this.#running.values()]) stop('cancelled')
  }

  async info(params: Record<string, unknown>): Promise<unknown> {
    const { provider, model } = params
    if (typeof provider !== 'string' || typeof model !== 'string') throw new RpcError(-32602, 'provider and model are needed')
    if (this.#llm.resolveModelInfo === undefined) return { efforts: [] }
    try {
      const reasoning = asRecord(asRecord(await this.#llm.resolveModelInfo(provider, model))?.['reasoning'])
      const listed = Array.isArray(reasoning?.['efforts']) ? reasoning['efforts'] : []
      const efforts = listed.map(effort => (typeof effort === 'string' ? effort : asRecord(effort)?.['id'])).filter(effort => typeof effort === 'string')
      const initial = reasoning?.['defaultEffort']
      return typeof initial === 'string' ? { efforts, defaultEffort: initial } : { efforts }
    } catch (error) {
      const code = (error as { code?: unknown } | null)?.code
      const failure: LlmFailure = { message: describe(error), ...(typeof code === 'string' ? { code } : {}) }
      throw failed(kindOf(failure), shown(failure), failure)
    }
  }

  async #advertises(provider: string, model: string, effort: string): Promise<boolean> {
    const key = `${provider}/${model}`
    const known = this.#efforts.get(key)
    if (known !== undefined && Date.now() - known.at < EFFORTS_MS) return known.efforts.includes(effort)
    try {
      const info = asRecord(await this.info({ provider, model }))
      const efforts = Array.isArray(info?.['efforts']) ? info['efforts'] : []
      if (this.#efforts.size > 64) this.#efforts.clear()
      this.#efforts.set(key, { at: Date.now(), efforts })
      return efforts.includes(effort)
    } catch {
      return false
    }
  }

  async #read(options: Record<string, unknown>, abort: AbortController): Promise<unknown> {
    let text = ''
    let reasoning = false
    let usage: Record<string, unknown> | undefined
    let finish: { kind: string; failure?: LlmFailure } | undefined
    try {
      for await (const chunk of this.#llm.stream(options)) {
        if (chunk.type === 'text-delta') text += chunk.text ?? ''
        else if (chunk.type === 'reasoning-delta') reasoning = true
        else if (chunk.type === 'usage') usage = chunk.usage
        else if (chunk.type === 'finish') finish = chunk.reason
        if (text.length > MAX_REPLY_CHARACTERS) {
          abort.abort()
          throw failed('malformed', `the reply is over ${MAX_REPLY_CHARACTERS} characters`)
        }
      }
    } catch (error) {
      if (error instanceof RpcError) throw error
      const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown }
      const failure: LlmFailure = {
        message: error instanceof Error ? error.message : '',
        ...(typeof code === 'string' ? { code } : {}),
        ...(typeof status === 'number' ? { status } : {}),
      }
      throw failed(kindOf(failure), shown(failure), failure)
    }
    if (finish === undefined) throw failed('malformed', 'the reply has no end')
    switch (finish.kind) {
      case 'stop':
        return { text, finish: 'stop', reasoning, usage: usageOf(usage) }
      case 'max-tokens':
        return { text, finish: 'length', reasoning, usage: usageOf(usage) }
      case 'tool-calls':
        return { text, finish: 'tool_calls', reasoning, usage: usageOf(usage) }
      default:
        throw failed(finish.kind === 'aborted' ? 'cancelled' : kindOf(finish.failure), shown(finish.failure), finish.failure)
    }
  }
}

/** The host counts cached input apart from the rest; the sidecar wants the whole and the part. */
function usageOf(usage: Record<string, unknown> | undefined): Record<string, number> {
  const of = (key: string): number => {
    const value = usage?.[key]
    return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : 0
  }
  const cached = of('cacheReadTokens')
  const out: Record<string, number> = { inputTokens: of('inputTokens') + cached + of('cacheWriteTokens'), outputTokens: of('outputTokens') }
  if (usage?.['cacheReadTokens'] !== undefined) out['cachedTokens'] = cached
  if (usage?.['reasoningTokens'] !== undefined) out['reasoningTokens'] = of('reasoningTokens')
  return out
}
