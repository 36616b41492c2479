/**
 * What the page asks about the advisor: the settings in the row, and the model of one live session. A session's pin goes
 * through the same command as a typed one and never touches the row.
 */
import { createHash } from 'node:crypto'
import { DEFAULTS, inForce, KEYS, type AdvisorConfig, type Pinned, type Provider, type Saved, type SessionAdvisor, type Settings } from '../common/advisor.ts'
import type { State, VerbAnswer } from '../common/state.ts'
import { asRecord, attempt, describe } from './guard.ts'
import { RowProblem, sorted, type RowFiles } from './row.ts'
import type { Llm } from './types.ts'

/** A provider that does not list its models in this time is shown without any. */
const LIST_MS = 5_000
const MAX_MODELS = 1_000
const MAX_TEXT = 100_000

export interface AdvisorHost {
  llm: () => Llm | undefined
  /** The row in force. */
  row: () => Record<string, unknown>
  /** What keeps the plugin off. */
  off: () => string | undefined
  /** What is wrong with a row, as the engine sees it; nothing: it is right. Throws when the engine does not answer. */
  check: (row: Record<string, unknown>) => Promise<string | undefined>
  /** Takes a row over, for all sessions and at once. */
  apply: (row: Record<string, unknown>) => void
  files: RowFiles
  state: (session: string) => State | null | undefined
  verb: (session: string, line: string) => Promise<VerbAnswer>
  /** The reasoning efforts that a model declares. */
  efforts: (provider: string, model: string) => Promise<unknown>
}

export class AdvisorCalls {
  #host: AdvisorHost
  #saving: Promise<unknown> = Promise.resolve()

  constructor(host: AdvisorHost) {
    this.#host = host
  }

  async get(): Promise<Settings> {
    const section = this.#host.row()['advisor']
    const config = inForce(section)
    const off = this.#host.off()
    return {
      config,
      revision: revisionOf(section),
      providers: await this.#providers(),
      problem: off ?? missing(config) ?? null,
      readonly: this.#host.files.files().length === 0 ? 'this host does not tell where its profile is: change the row by hand' : null,
    }
  }

  /** One save at a time; each sees what the one before it left. */
  set(given: unknown, revision: unknown): Promise<Saved> {
    const run = this.#saving.then(() => this.#set(given, revision))
    this.#saving = run.catch(() => {})
    return run
  }

  async #set(given: unknown, revision: unknown): Promise<Saved> {
    const refuse = (code: string, reason: string): Saved => ({ saved: false, code, reason })
    const row = this.#host.row()
    if (revision !== revisionOf(row['advisor'])) return refuse('changed', 'the settings changed meanwhile: look at them again')
    const config = readConfig(given)
    if (typeof config === 'string') return refuse('bad-argument', config)
    const lacks = missing(config)
    if (lacks !== undefined) return refuse('incomplete', lacks)
    const known = await this.#listed()
    if (known !== undefined && !known.some(({ id }) => id === config.provider)) return refuse('unknown-provider', `dsh has no provider ${config.provider}`)
    const before = asRecord(row['advisor']) ?? {}
    // What is written is what is set already, and what differs from the defaults.
    const section = Object.fromEntries(KEYS.filter(key => key in before || config[key] !== DEFAULTS[key]).map(key => [key, config[key]]))
    const next = { ...row, advisor: section }
    try {
      const wrong = await this.#host.check(next)
      if (wrong !== undefined) return refuse('bad-argument', wrong)
      // The engine took its time to answer.
      if (revision !== revisionOf(this.#host.row()['advisor'])) return refuse('changed', 'the settings changed meanwhile: look at them again')
      await this.#host.files.save(this.#host.row(), config)
    } catch (error) {
      return refuse('not-saved', error instanceof RowProblem ? error.message : describe(error))
    }
    this.#host.apply({ ...this.#host.row(), advisor: section })
    return { saved: true, settings: await this.get() }
  }

  /** What a model can be asked for; none where the host does not know. */
  async efforts(provider: string, model: string): Promise<string[]> {
    if (provider === '' || model === '') return []
    const listed = await within(Promise.resolve(this.#host.efforts(provider, model)).then(efforts => (Array.isArray(efforts) ? efforts : [])))
    return listed.filter((effort): effort is string => typeof effort === 'string' && effort !== '').slice(0, 32)
  }

  getSession(session: string): SessionAdvisor | null {
    const state = this.#host.state(session)
    if (state === undefined || state === null) return null
    const { advisor } = state
    const route = advisor?.model ?? null
    return {
      session,
      status: advisor?.status ?? 'disabled',
      reason: advisor === null ? 'no model is set' : (advisor.reason?.message ?? null),
      pair: route === null ? null : pairOf(route.id),
      source: route === null ? null : route.source === 'command' ? 'session override' : 'global default',
      trying: advisor?.trying ?? null,
      refused: advisor?.pin_refused ?? null,
      lifetime: 'live session',
    }
  }

  /** Pins a pair for this session, or goes back to the global default where both are empty. */
  async setSessionModel(session: string, provider: unknown, model: unknown): Promise<Pinned> {
    const empty = (value: unknown): boolean => value === null || value === undefined || value === ''
    let answer: VerbAnswer
    if (empty(provider) && empty(model)) answer = await this.#host.verb(session, 'advisor model reset')
    else if (typeof provider === 'string' && typeof model === 'string' && /^\S+$/.test(provider) && /^\S+$/.test(model)) {
      answer = await this.#host.verb(session, `advisor model set ${provider} ${model}`)
    } else answer = { code: 'bad-argument', text: 'name a provider and a model, or neither: half a pair pins nothing' }
    return { ok: answer.code === 'ok', text: answer.text, session: this.getSession(session) }
  }

  async #providers(): Promise<Provider[]> {
    const llm = this.#host.llm()
    const listed = (await this.#listed()) ?? []
    return Promise.all(
      listed.map(async ({ id, name }) => {
        const models = await within(attempt(() => llm?.listModels?.(id), undefined))
        return { id, name, models: models.slice(0, MAX_MODELS).flatMap(named) }
      }),
    )
  }

  /** What the host has, where it says so: at once, or in a moment. */
  async #listed(): Promise<{ id: string; name: string }[] | undefined> {
    const asked: unknown = attempt(() => this.#host.llm()?.listProviders?.(), undefined)
    const listed = asked instanceof Promise ? await within(asked as Promise<readonly unknown[]>) : asked
    return Array.isArray(listed) && (listed.length > 0 || listed === asked) ? listed.slice(0, MAX_MODELS).flatMap(named) : undefined
  }
}

/** An entry of a list of the host; one without an id is none. */
function named(entry: unknown): { id: string; name: string }[] {
  const { id, name } = asRecord(entry) ?? {}
  return typeof id === 'string' ? [{ id, name: typeof name === 'string' && name !== '' ? name : id }] : []
}

/** The list, or none when it fails or takes too long. */
async function within<T>(list: Promise<readonly T[]> | readonly T[] | undefined): Promise<readonly T[]> {
  if (list === undefined) return []
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<readonly T[]>(resolve => {
    timer = setTimeout(() => resolve([]), LIST_MS)
  })
  try {
    const models = await Promise.race([list, late])
    return Array.isArray(models) ? models : []
  } catch {
    return []
  } finally {
    clearTimeout(timer)
  }
}

function revisionOf(section: unknown): string {
  return createHash('sha256').update(JSON.stringify(sorted(section))).digest('hex').slice(0, 16)
}

/** The nine keys, or what is wrong with them. The engine knows the ranges. */
function readConfig(given: unknown): AdvisorConfig | string {
  const record = asRecord(given)
  if (record === undefined) return 'the settings must be a mapping'
  const config = { ...DEFAULTS }
  for (const [key, value] of Object.entries(record)) {
    if (!Object.hasOwn(DEFAULTS, key)) return `there is no advisor.${key.slice(0, 60)}`
    const known = key as keyof AdvisorConfig
    if (typeof value !== typeof DEFAULTS[known]) return `advisor.${key} must be a ${typeof DEFAULTS[known]}`
    if (typeof value === 'string' && value.length > MAX_TEXT) return `advisor.${key} has at most ${MAX_TEXT} characters`
    ;(config as Record<string, unknown>)[key] = typeof value === 'string' && known !== 'systemPrompt' ? value.trim() : value
  }
  return config
}

function missing({ provider, model }: AdvisorConfig): string | undefined {
  if (provider !== '' && model !== '') return undefined
  const [what, verb] = provider === '' ? (model === '' ? ['provider and model', 'are'] : ['provider', 'is']) : ['model', 'is']
  return `${what} ${verb} not set; the advisor runs only with both`
}

function pairOf(id: string): { provider: string; model: string } {
  const at = id.indexOf('/')
  return { provider: id.slice(0, at), model: id.slice(at + 1) }
}
