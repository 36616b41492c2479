/** The calls of the advisor's settings, with their answers checked as far as the page relies on them. */
import { inForce, type AdvisorConfig, type Pinned, type Saved, type SessionAdvisor, type Settings } from '../common/advisor.ts'
import { unwrap } from './feed.ts'

type Rpc = (endpoint: string, args: Record<string, unknown>) => Promise<unknown>

export class SettingsCalls {
  #rpc: Rpc

  constructor(rpc: Rpc) {
    this.#rpc = rpc
  }

  async get(): Promise<Settings> {
    return settings(await this.#call('get', {}))
  }

  async set(config: AdvisorConfig, revision: string): Promise<Saved> {
    const answer = record(await this.#call('set', { config, revision }))
    if (answer['saved'] === true) return { saved: true, settings: settings(answer['settings']) }
    return { saved: false, code: String(answer['code'] ?? ''), reason: String(answer['reason'] ?? '') }
  }

  /** The reasoning efforts that a model declares. */
  async efforts(provider: string, model: string): Promise<string[]> {
    const answer = await this.#call('efforts', { provider, model })
    return Array.isArray(answer) ? answer.filter(effort => typeof effort === 'string') : []
  }

  async getSession(session: string): Promise<SessionAdvisor | null> {
    const answer = await this.#call('getSession', { session })
    return answer === null ? null : (record(answer) as unknown as SessionAdvisor)
  }

  /** A pair pins it, null goes back to the global default. */
  async setSessionModel(session: string, pair: { provider: string; model: string } | null): Promise<Pinned> {
    const answer = record(await this.#call('setSessionModel', { session, provider: pair?.provider ?? '', model: pair?.model ?? '' }))
    return { ok: answer['ok'] === true, text: String(answer['text'] ?? ''), session: (answer['session'] ?? null) as SessionAdvisor | null }
  }

  async #call(method: string, args: Record<string, unknown>): Promise<unknown> {
    return unwrap(await this.#rpc(`advisor/${method}`, args))
  }
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error('no such answer')
  return value as Record<string, unknown>
}

function settings(value: unknown): Settings {
  const { config, revision, providers, problem, readonly } = record(value)
  // Another plugin of this name answers otherwise.
  if (typeof revision !== 'string' || !Array.isArray(providers)) throw new Error('no settings of ours')
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  return { config: inForce(config), revision, providers: providers as Settings['providers'], problem: text(problem), readonly: text(readonly) }
}
