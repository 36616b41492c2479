/** One session that the plugin serves: what the sidecar is told of it, and what is compared before a turn starts. */
import { randomUUID } from 'node:crypto'
import { chapter, chapters } from './chapters.ts'
import { kept, type Kept } from './claim.ts'
import { asRecord, describe } from './guard.ts'
import { HUMAN, isNote, shorten, sourceOf, type Producer } from './source.ts'
import type { Agent, Agents, Goals, GoalView, HostSession, Message, SessionEvent } from './types.ts'

/** Events that no voice reads; they are most of a log. */
const UNREAD = new Set(['assistant/chunk', 'assistant/attempt', 'text-chunks', 'step/end', 'request/header', 'request/context', 'session/title', 'session/title-llm-request'])

/** A tool result over this is told without its output. */
const MAX_EVENT_CHARACTERS = 256 * 1024

/** How long a human's arming allows the goal to be paused for it. */
const GESTURE_MS = 60_000

/** How often, and how long, it is looked whether a reserved round has begun. */
const BETWEEN_MS = 5
const MAX_BETWEEN_MS = 2_000

const HISTORY_CHUNK_CHARACTERS = 256 * 1024

/** How long what the sidecar is told may wait for the host, which starts the next turn of its own meanwhile. */
const HELD_MS = 100

/** So many submissions are remembered for a withdrawal. */
const MAX_SUBMISSIONS = 64

export interface Services {
  agents: Agents
  goals: () => Goals | undefined
  /** Whether a page can be there. Where none can, only the advisor speaks. */
  web: () => boolean
  notify: (method: string, params: unknown) => void
  /** The chapters that another plugin made of a session, in whatever shape it gives them. */
  chapters: (session: string) => unknown
}

export interface Submission {
  ticket: number
  text: string
  author: 'human' | 'suggest'
  expect: { turn: number | null; goal: { id: string; revision: number } | null; humanEpoch: number }
}

export type Verdict = { accepted: true; messageId: string } | { accepted: false; reason: string }

export class Session {
  readonly id: string
  readonly agent: Agent
  readonly kept: Kept
  /** Rises with every prompt of the human. */
  humanEpoch = 0
  /** Whether the sidecar knows the past and is told the present. */
  live = false

  #services: Services
  #cursor = 0
  #lastEnded = 0
  #openTurn: number | undefined
  /** Whether the open turn has begun a step: from then on nothing can refuse it any more. */
  #stepped = false
  #counted: string[] = []
  #submitted = new Map<number, string>()
  #gesture = 0
  /** Raised by each opening, so that an older one stops. */
  #opening = 0
  /** What waits to be told, in order, while the host goes from one turn into the next. */
  #held: [string, unknown][] | undefined
  #holding: NodeJS.Timeout | undefined

  constructor(agent: Agent, services: Services) {
    this.id = agent.id
    this.agent = agent
    this.#services = services
    const { events } = agent.session
    for (let at = events.length - 1; at >= 0; at--) {
      const event = events[at]
      const turn = event === undefined ? undefined : turnOf(event)
      if (turn === undefined) continue
      if (event?.type === 'turn/end') {
        this.#lastEnded = turn
        break
      }
      if (event?.type === 'step/start') this.#stepped = true
      if (event?.type === 'turn/start') this.#openTurn ??= turn
    }
    if (this.#openTurn !== undefined && this.#openTurn <= this.#lastEnded) this.#openTurn = undefined
    this.kept = kept(this.id, this.#lastEnded > 0)
  }

  /** Whether this is still the agent of the session. */
  get current(): boolean {
    return this.#services.agents.get(this.id) === this.agent
  }

  get host(): HostSession {
    return this.agent.session
  }

  goal(): GoalView | null {
    try {
      return this.#services.goals()?.get(this.agent) ?? null
    } catch {
      return null
    }
  }

  /** What waits, but for notes that wait to be read with whatever turn comes next: they start none and keep none away. */
  inbox(): { human: number; other: number } {
    const { nextTurn, nextStep } = this.agent.inbox
    const waiting = [...nextTurn, ...nextStep.filter(message => !isNote(message.source))]
    const human = waiting.filter(message => message.source.kind === 'user').length
    return { human, other: waiting.length - human }
  }

  facts(): Record<string, unknown> {
    return { session: this.id, status: this.agent.status, goal: this.goal(), inbox: this.inbox(), humanEpoch: this.humanEpoch }
  }

  /** Tells the sidecar the session from its beginning, without keeping the host from its work. */
  async open(resumed: boolean, room: () => Promise<void>): Promise<void> {
    const opening = ++this.#opening
    this.live = false
    this.#cursor = 0
    this.#services.notify('session/open', {
      ...this.facts(),
      header: this.host.header,
      root: true,
      web: this.#services.web(),
      advisorOnly: !this.#services.web(),
      ...this.kept,
      resumed,
    })
    for (;;) {
      const chunk: unknown[] = []
      let size = 0
      // The last part is told, and the present begins, in one go: nothing is appended between.
      while (this.#cursor < this.host.events.length && size < HISTORY_CHUNK_CHARACTERS) {
        const event = this.host.events[this.#cursor++]
        if (event === undefined || UNREAD.has(event.type)) continue
        const told = lean(event)
        size += told.characters
        chunk.push(told.event)
      }
      if (chunk.length > 0) this.#services.notify('session/history', { session: this.id, events: chunk })
      if (this.#cursor >= this.host.events.length) break
      await room()
      if (opening !== this.#opening) return
    }
    for (const told of chapters(this.#services.chapters(this.id))) this.#services.notify('session/chapter', { session: this.id, ...told })
    this.#services.notify('session/ready', { session: this.id })
    this.live = true
    this.#services.notify('session/status', this.facts())
  }

  /** The sidecar is gone. */
  unlink(): void {
    this.#opening++
    this.live = false
    this.#held = undefined
    clearTimeout(this.#holding)
    this.#submitted.clear()
  }

  event(event: SessionEvent): void {
    const turn = turnOf(event)
    if (event.type === 'turn/start') {
      this.#openTurn = turn
      this.#stepped = false
    } else if (event.type === 'step/start') this.#stepped = true
    if (event.type === 'turn/end' && turn !== undefined) {
      this.#lastEnded = Math.max(this.#lastEnded, turn)
      this.#openTurn = undefined
    }
    if (event.type === 'user/message') {
      const message = asRecord(event.data)
      if (asRecord(message?.['source'])?.['kind'] === 'user') this.#human(message?.['id'])
    }
    if (!this.live) return
    // The next turn starts at once, so that nothing can come of this one's end any more: its request goes first.
    if (event.type === 'turn/end' && this.agent.inbox.nextTurn.length > 0) this.#hold()
    else if (this.#held !== undefined && (event.type === 'assistant/chunk' || event.type === 'assistant/message' || event.type === 'turn/end')) this.caughtUp()
    // An event that was appended while another one was told arrives before it; the log has them in order.
    const { events } = this.host
    while (this.#cursor < events.length) this.#tell(events[this.#cursor++])
    if (event.seq >= this.#cursor) {
      this.#cursor = event.seq + 1
      this.#tell(event)
    }
  }

  /** Tells what waits: the host is where it wanted to be, or somebody wants to know. */
  caughtUp(): void {
    clearTimeout(this.#holding)
    const held = this.#held
    this.#held = undefined
    for (const [method, params] of held ?? []) this.#services.notify(method, params)
  }

  status(): void {
    if (!this.live) return
    this.#notify('session/status', this.facts())
    if (this.agent.status === 'idle') this.caughtUp()
  }

  /** Another plugin closed a chapter of this session. */
  chaptered(value: unknown): void {
    const told = chapter(value)
    if (this.live && told !== undefined) this.#notify('session/chapter', { session: this.id, ...told })
  }

  goalChanged(): void {
    if (this.live) this.#notify('session/goal', { session: this.id, goal: this.goal() })
  }

  inboxed(kind: 'inserted' | 'claimed' | 'discarded', message: Message): void {
    if (kind === 'inserted' && message.source.kind === 'user') this.#human(message.id)
    if (!this.live) return
    const nextStep = this.agent.inbox.nextStep.some(waiting => waiting.id === message.id)
    this.#notify('session/inbox', {
      session: this.id,
      kind,
      id: message.id,
      source: message.source,
      target: nextStep ? 'next-step' : 'next-turn',
      humanEpoch: this.humanEpoch,
      human: this.inbox().human,
    })
  }

  /** A human armed the loop; for that, and only for that, the goal's driver may be paused. */
  armed(now = Date.now()): void {
    this.#gesture = now
  }

  /** Compares what the submission expects and makes it, in one synchronous block. Never called while the log is written. */
  submit(request: Submission): Verdict {
    const refuse = (reason: string): Verdict => ({ accepted: false, reason })
    const { expect, author, text } = request
    if (!this.current) return refuse('gone')
    const goal = this.goal()
    if (author === 'suggest') {
      if (this.agent.status !== 'idle' || this.#waits()) return refuse('busy')
      if (this.#openTurn !== undefined || (expect.turn !== null && this.#lastEnded !== expect.turn)) return refuse('stale-turn')
      if (this.humanEpoch !== expect.humanEpoch) return refuse('human')
      if (goal?.phase === 'active' && goal.activation === 'armed') return refuse('goal-owns')
      if (!sameGoal(goal, expect.goal)) return refuse('goal-moved')
    } else if (expect.goal !== null && goal !== null && goal.id !== expect.goal.id) return refuse('goal-moved')
    const source = author === 'human' ? HUMAN : sourceOf(this.host, 'suggest', `autorun: ${text}`)
    const message = say(text, source)
    try {
      this.agent.followup(message)
    } catch (error) {
      return refuse(`the host refused it: ${describe(error)}`)
    }
    this.#submitted.set(request.ticket, message.id)
    const oldest = this.#submitted.keys().next().value
    if (this.#submitted.size > MAX_SUBMISSIONS && oldest !== undefined) this.#submitted.delete(oldest)
    return { accepted: true, messageId: message.id }
  }

  /** Takes a submission back while it waits in the inbox. */
  withdraw(ticket: number): boolean {
    const id = this.#submitted.get(ticket)
    if (id === undefined || !this.current) return false
    this.#submitted.delete(ticket)
    try {
      return this.agent.inbox.remove(id) === true
    } catch {
      return false
    }
  }

  async pauseGoal(id: string, revision: number, now = Date.now()): Promise<{ ok: boolean; reason?: string }> {
    if (now - this.#gesture > GESTURE_MS) return { ok: false, reason: 'nobody armed the loop just now' }
    this.#gesture = 0
    const goals = this.#services.goals()
    // Pausing between the driver's reservation of a round and its first step would make an empty, refused turn of it.
    for (let waited = 0; this.current && this.#between() && waited < MAX_BETWEEN_MS; waited += BETWEEN_MS) {
      await new Promise(resolve => setTimeout(resolve, BETWEEN_MS))
    }
    if (goals === undefined || !this.current) return { ok: false, reason: 'gone' }
    try {
      await goals.pause(this.agent, { id, revision })
      return { ok: true }
    } catch (error) {
      return { ok: false, reason: describe(error) }
    }
  }

  /** Adds a note of the advisor: `steer` joins the running turn or wakes the session, `inject` waits for the next. */
  note(how: 'steer' | 'inject', text: string, summary: string, producer: Producer): { ok: boolean; reason?: string } {
    if (!this.current) return { ok: false, reason: 'gone' }
    const send = how === 'steer' ? this.agent.steer : this.agent.inject
    if (send === undefined) return { ok: false, reason: `this host has no ${how}` }
    try {
      send.call(this.agent, say(text, sourceOf(this.host, producer, summary)))
      return { ok: true }
    } catch (error) {
      return { ok: false, reason: describe(error) }
    }
  }

  /** A turn is reserved or started, and has not begun its first step. */
  #between(): boolean {
    return this.agent.status === 'running' ? this.#openTurn === undefined || !this.#stepped : this.#waits()
  }

  #waits(): boolean {
    const { human, other } = this.inbox()
    return human + other > 0
  }

  #hold(): void {
    if (this.#held !== undefined) return
    this.#held = []
    this.#holding = setTimeout(() => this.caughtUp(), HELD_MS)
    this.#holding.unref()
  }

  #notify(method: string, params: unknown): void {
    if (this.#held === undefined) this.#services.notify(method, params)
    else this.#held.push([method, params])
  }

  #tell(event: SessionEvent | undefined): void {
    if (event !== undefined && !UNREAD.has(event.type)) this.#notify('session/event', { session: this.id, event: lean(event).event })
  }

  /** Counts a prompt of the human once, whether it is seen queued, said, or both. */
  #human(id: unknown): void {
    if (typeof id !== 'string') {
      this.humanEpoch++
      return
    }
    if (this.#counted.includes(id)) return
    this.#counted.push(id)
    if (this.#counted.length > 256) this.#counted.shift()
    this.humanEpoch++
  }
}

function say(text: string, source: Message['source']): Message {
  return { id: randomUUID(), role: 'user', content: [{ type: 'text', text }], source }
}

function turnOf(event: SessionEvent): number | undefined {
  const turn = asRecord(event.data)?.['turn']
  return typeof turn === 'number' ? turn : undefined
}

function sameGoal(goal: GoalView | null, expected: { id: string; revision: number } | null): boolean {
  // A goal that is over is no goal to the sidecar.
  const open = goal !== null && goal.phase !== 'complete' ? goal : null
  if (expected === null) return open === null
  return goal !== null && goal.id === expected.id && goal.revision === expected.revision
}

/** The event without the output of a tool where that is huge, and its size. */
function lean(event: SessionEvent): { event: SessionEvent; characters: number } {
  const size = weigh(event.data, 0)
  if (event.type !== 'tool/result' || size <= MAX_EVENT_CHARACTERS) return { event, characters: size + 64 }
  const data = asRecord(event.data) ?? {}
  const message = asRecord(data['message']) ?? {}
  const content = (Array.isArray(message['content']) ? message['content'] : []).map(entry => {
    const block = asRecord(entry)
    return block === undefined ? entry : { ...block, content: [{ type: 'text', text: shorten(`output of ${size} characters left out`, 80) }] }
  })
  return { event: { ...event, data: { ...data, message: { ...message, content } } }, characters: 512 }
}

/** About how many characters a value has, without writing it out. */
function weigh(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null || depth > 8) return 8
  let sum = 2
  for (const part of Array.isArray(value) ? value : Object.values(value)) sum += weigh(part, depth + 1) + 8
  return sum
}
