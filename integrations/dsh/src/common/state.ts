/** The state of a session as the sidecar publishes it: its shape, a check of it, and what a page is told. */

export interface Coded {
  code: string
  message: string
}

export type Status = 'off' | 'idle' | 'analyzing' | 'ready' | 'failed'
export type OfferKind = 'prompt' | 'goal_edit' | 'command' | 'destructive'
export type GoalPhase = 'active' | 'paused' | 'blocked' | 'complete'

export interface Offer {
  id: string
  text: string
  turn: number
  current: boolean
  kind: OfferKind
  model: string
}

export interface Autorun {
  armed: boolean
  hold: Coded | null
  rounds: number
  max_rounds: number
  disarmed_because: Coded | null
}

export interface Goal {
  id: string
  revision: number
  phase: GoalPhase
  armed: boolean
  objective: string
  paused_by_autorun: boolean
}

/** The advisor, as far as the page shows it. */
export interface AdvisorState {
  status: string
  reason: Coded | null
  model: { id: string; source: string } | null
  trying: string | null
  pin_refused: string | null
  blocker: string | null
  prediction: string | null
}

export interface State {
  status: Status
  reason: Coded | null
  offer: Offer | null
  autorun: Autorun
  goal: Goal | null
  model: { id: string; source: string } | null
  /** Absent where it is not configured and nobody spoke to it. */
  advisor: AdvisorState | null
}

/** Whether the engine behind the plugin works: it does, it does not (yet), or the configuration keeps it off. */
export type Link =
  | { kind: 'starting' }
  | { kind: 'linked' }
  | { kind: 'unlinked'; code: string; message: string }
  | { kind: 'off'; code: string; message: string }

/** Everything that a page knows of one session. */
export interface Frame {
  session: string
  seq: number
  link: Link
  state: State | null
  /** The engine came back and the loop, which was armed, is not any more. */
  disarmedByRestart: boolean
}

/** What a verb answered. `fill` is a text for the input of the page that asked. */
export interface VerbAnswer {
  text: string
  code: string
  fill?: string
}

const STATUSES: readonly string[] = ['off', 'idle', 'analyzing', 'ready', 'failed'] satisfies Status[]
const KINDS: readonly string[] = ['prompt', 'goal_edit', 'command', 'destructive'] satisfies OfferKind[]
const PHASES: readonly string[] = ['active', 'paused', 'blocked', 'complete'] satisfies GoalPhase[]

type Json = Record<string, unknown>

function record(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
}

function count(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

class Unreadable extends Error {}

function need<T>(value: T | undefined): T {
  if (value === undefined) throw new Unreadable()
  return value
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Unreadable()
  return value
}

function flag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Unreadable()
  return value
}

function whole(value: unknown): number {
  if (!count(value)) throw new Unreadable()
  return value
}

function coded(value: unknown): Coded | null {
  if (value === null || value === undefined) return null
  const object = need(record(value))
  return { code: text(object['code']), message: text(object['message']) }
}

function oneOf<T extends string>(value: unknown, words: readonly string[]): T {
  const word = text(value)
  if (!words.includes(word)) throw new Unreadable()
  return word as T
}

function optional(value: unknown): string | null {
  return value === null || value === undefined ? null : text(value)
}

function advisorOf(value: unknown): AdvisorState | null {
  if (value === null || value === undefined) return null
  const advisor = need(record(value))
  const model = advisor['model'] === null || advisor['model'] === undefined ? null : need(record(advisor['model']))
  return {
    status: text(advisor['status']),
    reason: coded(advisor['reason']),
    model: model && { id: text(model['id']), source: text(model['source']) },
    trying: optional(advisor['trying']),
    pin_refused: optional(advisor['pin_refused']),
    blocker: optional(advisor['blocker']),
    prediction: optional(advisor['prediction']),
  }
}

/** The state in a message, or nothing when it is not one. Fields that the bar does not show are left alone. */
export function readState(value: unknown): State | undefined {
  try {
    const state = need(record(value))
    const autorun = need(record(state['autorun']))
    const offer = state['offer'] === null || state['offer'] === undefined ? null : need(record(state['offer']))
    const goal = state['goal'] === null || state['goal'] === undefined ? null : need(record(state['goal']))
    const model = state['model'] === null || state['model'] === undefined ? null : need(record(state['model']))
    return {
      status: oneOf<Status>(state['status'], STATUSES),
      reason: coded(state['reason']),
      offer: offer && {
        id: text(offer['id']),
        text: text(offer['text']),
        turn: whole(offer['turn']),
        current: flag(offer['current']),
        kind: oneOf<OfferKind>(offer['kind'], KINDS),
        model: text(offer['model']),
      },
      autorun: {
        armed: flag(autorun['armed']),
        hold: coded(autorun['hold']),
        rounds: whole(autorun['rounds']),
        max_rounds: whole(autorun['max_rounds']),
        disarmed_because: coded(autorun['disarmed_because']),
      },
      goal: goal && {
        id: text(goal['id']),
        revision: whole(goal['revision']),
        phase: oneOf<GoalPhase>(goal['phase'], PHASES),
        armed: flag(goal['armed']),
        objective: text(goal['objective']),
        paused_by_autorun: goal['paused_by_autorun'] === true,
      },
      model: model && { id: text(model['id']), source: text(model['source']) },
      advisor: advisorOf(state['advisor']),
    }
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

/** The link in a message, or nothing. */
export function readLink(value: unknown): Link | undefined {
  const link = record(value)
  if (link === undefined) return undefined
  const kind = link['kind']
  if (kind === 'starting' || kind === 'linked') return { kind }
  const { code, message } = link
  if ((kind === 'unlinked' || kind === 'off') && typeof code === 'string' && typeof message === 'string') {
    return { kind, code, message }
  }
  return undefined
}

/** The frame in a message, or nothing. */
export function readFrame(value: unknown): Frame | undefined {
  const frame = record(value)
  if (frame === undefined || typeof frame['session'] !== 'string' || !count(frame['seq'])) return undefined
  const link = readLink(frame['link'])
  const state = frame['state'] === null ? null : readState(frame['state'])
  if (link === undefined || state === undefined) return undefined
  return { session: frame['session'], seq: frame['seq'], link, state, disarmedByRestart: frame['disarmedByRestart'] === true }
}
