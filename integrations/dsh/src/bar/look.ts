/** What the bar shows for a frame: a pure function, so that every row of the table of states can be tested. */
import type { Frame, Offer } from '../common/state.ts'
import { sentence, type Key } from './copy.ts'

export interface Note {
  id: string
  text: string
  tone: 'plain' | 'strong' | 'error'
}

export interface Look {
  status: 'idle' | 'analyzing' | 'ready' | 'failed' | 'unlinked' | 'off'
  label: string
  /** What stands beside the label when it is no offer. */
  hint: string | undefined
  /** The hint is a failure. */
  error: boolean
  offer: Offer | undefined
  run: boolean
  retry: boolean
  /** Shown as pressed, not pressed, or not at all. */
  autorun: 'armed' | 'disarmed' | undefined
  off: boolean
  notes: Note[]
}

/** Stops that the human made themselves need no word. */
const OWN_STOPS = new Set(['human', 'switched-off', 'model-cleared'])

/** Holds that are the loop's own work under way. */
const WORKING = new Set(['submitting', 'busy', 'waiting-for-offer'])

/** Nothing where the feature does not exist. */
export function look(frame: Frame | null, connected: boolean, t: (key: Key) => string, chinese: boolean): Look | undefined {
  if (frame === null) return undefined
  const { link, state } = frame
  const bare = (status: Look['status'], label: Key, hint: string): Look => ({
    status, label: t(label), hint, error: status === 'off', offer: undefined, run: false, retry: false, autorun: undefined, off: false, notes: [],
  })
  // What was off before the engine broke is off all the same.
  const wasOff = state?.status === 'off'
  if (!connected) return wasOff || state === null ? undefined : bare('unlinked', 'unlinked', t('disconnected'))
  if (link.kind === 'off') return bare('off', 'offConfig', sentence(chinese, link))
  if (link.kind === 'unlinked') return wasOff ? undefined : { ...bare('unlinked', 'unlinked', `${sentence(chinese, link)} · ${t('unlinkedHint')}`), retry: true, notes: restarted(frame, t) }
  if (link.kind === 'starting' || state === null || wasOff) return undefined

  const { autorun, reason, goal } = state
  const offer = state.offer ?? undefined
  const notes: Note[] = []
  const note = (id: string, text: string, tone: Note['tone'] = 'plain'): void => void notes.push({ id, text, tone })
  if (offer !== undefined && offer.kind !== 'prompt') note('kind', t(offer.kind), 'strong')
  if (offer !== undefined && !offer.current) note('older', `${t('older')} ${offer.turn}`)
  if (autorun.armed) {
    const rounds = `${autorun.rounds}/${autorun.max_rounds} ${t('rounds')}`
    const { hold } = autorun
    const stands = t(hold === null || WORKING.has(hold.code) ? 'loop' : 'holds')
    note('loop', `${hold === null ? stands : `${stands}: ${sentence(chinese, hold)}`} · ${rounds}`, 'strong')
  } else if (frame.disarmedByRestart) notes.push(...restarted(frame, t))
  else if (autorun.disarmed_because !== null && !OWN_STOPS.has(autorun.disarmed_because.code)) {
    note('stopped', `${t('stopped')}: ${sentence(chinese, autorun.disarmed_because)} · ${autorun.rounds}/${autorun.max_rounds} ${t('rounds')}`)
  }
  if (!autorun.armed && goal?.paused_by_autorun === true && goal.phase === 'paused') note('goal', t('goalPaused'))

  const base = {
    offer,
    run: offer !== undefined && state.status !== 'analyzing',
    retry: false,
    autorun: autorun.armed ? ('armed' as const) : ('disarmed' as const),
    off: true,
    notes,
    error: false,
    hint: undefined,
  }
  switch (state.status) {
    case 'analyzing':
      return { ...base, status: 'analyzing', label: t('analyzing'), hint: offer === undefined ? t('analyzingHint') : undefined }
    case 'ready':
      // A run that the host did not take: the step is still there.
      if (reason !== null) notes.unshift({ id: 'refused', text: sentence(chinese, reason), tone: 'error' })
      return { ...base, status: 'ready', label: t('ready') }
    case 'failed': {
      const why = reason === null ? '' : sentence(chinese, reason)
      if (offer !== undefined) notes.unshift({ id: 'failure', text: why, tone: 'error' })
      return { ...base, status: 'failed', label: t('failed'), hint: offer === undefined ? why : undefined, error: true, retry: true }
    }
    case 'idle': {
      const waiting = reason === null || reason.code === 'no-completed-turn' || reason.code === 'no-offer-yet'
      return { ...base, status: 'idle', label: t('idle'), hint: waiting ? t('idleHint') : sentence(chinese, reason), retry: reason?.code === 'nothing-to-recommend' }
    }
    case 'off':
      return undefined
  }
}

function restarted(frame: Frame, t: (key: Key) => string): Note[] {
  return frame.disarmedByRestart ? [{ id: 'restarted', text: t('restarted'), tone: 'strong' }] : []
}

/** A prompt that → in an empty input accepts, and whether it stands under the input: an offer has a place of its own. */
export interface Tip {
  text: string
  shown: boolean
}

/** The guess of the next prompt; beside a director its current offer takes that place (rule V8). */
export function tip(frame: Frame | null, connected: boolean, running: boolean): Tip | undefined {
  const state = frame?.state
  if (!connected || running || frame?.link.kind !== 'linked' || state === null || state === undefined) return undefined
  const prediction = state.advisor?.prediction
  if (prediction !== null && prediction !== undefined) return { text: prediction, shown: true }
  const { offer } = state
  return state.status === 'ready' && offer?.current === true && offer.kind === 'prompt' ? { text: offer.text, shown: false } : undefined
}
