/** The advisor's section of the row: its nine keys, and what the calls of its settings say (rule V6). */

export interface AdvisorConfig {
  provider: string
  model: string
  systemPrompt: string
  immuneTurns: number
  maxDeltaMessages: number
  proseFallback: boolean
  reasoningEffort: string
  nextPrompt: boolean
  defaultEnabled: boolean
}

export type AdvisorKey = keyof AdvisorConfig

export const DEFAULTS: Readonly<AdvisorConfig> = {
  provider: '',
  model: '',
  systemPrompt: '',
  immuneTurns: 3,
  maxDeltaMessages: 60,
  proseFallback: false,
  reasoningEffort: '',
  nextPrompt: true,
  defaultEnabled: true,
}

export const KEYS = Object.keys(DEFAULTS) as AdvisorKey[]

/** Keys of the past: accepted, ignored and never written back. */
export const PAST_KEYS: readonly string[] = ['enabled', 'maxTokens']

/** What is in force: what is set and fits, else the default. */
export function inForce(section: unknown): AdvisorConfig {
  const config = { ...DEFAULTS }
  const given = (typeof section === 'object' && section !== null ? section : {}) as Record<string, unknown>
  for (const key of KEYS) if (typeof given[key] === typeof DEFAULTS[key]) (config as Record<AdvisorKey, unknown>)[key] = given[key]
  return config
}

/** A provider that the host has, and the models that it advertises. */
export interface Provider {
  id: string
  name: string
  models: { id: string; name: string }[]
}

/** The answer to `advisor/get`. */
export interface Settings {
  config: AdvisorConfig
  /** Changes with every change of the section; a save that names an older one is refused. */
  revision: string
  providers: Provider[]
  /** Why the advisor does not run with these settings, or nothing. */
  problem: string | null
  /** Why nothing can be saved here, or nothing. */
  readonly: string | null
}

/** The answer to `advisor/set`. */
export type Saved = { saved: true; settings: Settings } | { saved: false; code: string; reason: string }

/** The advisor of one live session, as `advisor/getSession` tells it. */
export interface SessionAdvisor {
  session: string
  status: string
  reason: string | null
  pair: { provider: string; model: string } | null
  source: 'session override' | 'global default' | null
  /** A model whose trial runs. */
  trying: string | null
  /** Why the last trial pinned nothing. */
  refused: string | null
  /** How long a pin lasts. */
  lifetime: 'live session'
}

/** The answer to `advisor/setSessionModel`. */
export interface Pinned {
  ok: boolean
  text: string
  session: SessionAdvisor | null
}
