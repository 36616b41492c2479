/** What every session shows, and who looks: each change is pushed once, and a late page first gets what stands. */
import type { Frame, Link, State } from '../common/state.ts'

export type Listener = (frame: Frame) => void

export class Frames {
  #frames = new Map<string, Frame>()
  #listeners = new Set<Listener>()
  #link: Link = { kind: 'starting' }
  #seq = 0

  get link(): Link {
    return this.#link
  }

  all(): Frame[] {
    return [...this.#frames.values()]
  }

  get(session: string): Frame | undefined {
    return this.#frames.get(session)
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  open(session: string): void {
    if (!this.#frames.has(session)) this.#put({ session, seq: 0, link: this.#link, state: null, disarmedByRestart: false })
  }

  close(session: string): void {
    this.#frames.delete(session)
  }

  state(session: string, state: State): void {
    const frame = this.#frames.get(session)
    if (frame === undefined) return
    this.#put({ ...frame, state, disarmedByRestart: frame.disarmedByRestart && !state.autorun.armed && state.status !== 'off' })
  }

  /** The engine's link changed for all sessions. A loop that was armed when it broke is not any more (rule A1). */
  setLink(link: Link): void {
    this.#link = link
    for (const frame of this.all()) {
      const broke = link.kind === 'unlinked' && frame.state?.autorun.armed === true
      const state = broke && frame.state !== null ? { ...frame.state, autorun: { ...frame.state.autorun, armed: false, hold: null } } : frame.state
      this.#put({ ...frame, link, state, disarmedByRestart: frame.disarmedByRestart || broke })
    }
  }

  /** The human acted: what the restart did is known now. */
  acknowledge(session: string): void {
    const frame = this.#frames.get(session)
    if (frame?.disarmedByRestart === true) this.#put({ ...frame, disarmedByRestart: false })
  }

  #put(frame: Frame): void {
    const next = { ...frame, seq: ++this.#seq }
    this.#frames.set(next.session, next)
    for (const listener of this.#listeners) listener(next)
  }
}
