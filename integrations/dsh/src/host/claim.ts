/**
 * What lives as long as the process: a host may mount a row several times, and it may mount it again after a change.
 * Only one mount works at a time, and the rounds that a session spent outlive every mount and every sidecar (rule A6).
 */

/** What a session keeps across sidecars and mounts. */
export interface Kept {
  spentRounds: number
  nextOffer: number
  nextTicket: number
}

interface Process {
  owner: symbol | undefined
  waiting: Map<symbol, () => void>
  kept: Map<string, Kept>
}

const KEY = Symbol.for('dsh-suggest.process')

function processWide(): Process {
  const holder = globalThis as unknown as Record<symbol, Process | undefined>
  return (holder[KEY] ??= { owner: undefined, waiting: new Map(), kept: new Map() })
}

/**
 * Runs `start` when no other mount is at work, now or later. The function that comes back gives the claim up, and the
 * next mount that waits takes over.
 */
export function claim(start: () => void): { release: () => void; owned: () => boolean } {
  const shared = processWide()
  const me = Symbol('mount')
  const take = (): void => {
    shared.owner = me
    start()
  }
  if (shared.owner === undefined) take()
  else shared.waiting.set(me, take)
  return {
    owned: () => shared.owner === me,
    release: () => {
      shared.waiting.delete(me)
      if (shared.owner !== me) return
      shared.owner = undefined
      const next = shared.waiting.entries().next().value
      if (next === undefined) return
      shared.waiting.delete(next[0])
      next[1]()
    },
  }
}

/**
 * What the session keeps. A session that this process sees for the first time and that has a past may have had
 * offers in an earlier process; its numbers go on from the clock, so that no id is ever used twice (rule D11).
 */
export function kept(session: string, hasPast: boolean, now = Date.now()): Kept {
  const all = processWide().kept
  let entry = all.get(session)
  if (entry === undefined) {
    const nextOffer = hasPast ? Math.max(1, Math.floor((now - Date.UTC(2026, 0, 1)) / 1000)) : 1
    entry = { spentRounds: 0, nextOffer, nextTicket: 1 }
    all.set(session, entry)
  }
  return entry
}

/** Takes what a sidecar reported. Numbers only rise, but for the rounds, which the human may reset. */
export function keep(session: string, update: Partial<Kept>): void {
  const entry = processWide().kept.get(session)
  if (entry === undefined) return
  if (isCount(update.spentRounds)) entry.spentRounds = update.spentRounds
  if (isCount(update.nextOffer)) entry.nextOffer = Math.max(entry.nextOffer, update.nextOffer)
  if (isCount(update.nextTicket)) entry.nextTicket = Math.max(entry.nextTicket, update.nextTicket)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
