/** A host in memory: as much of dsh as the plugin touches, with the traps that the real one has. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent, Commands, CommandResult, Context, GoalView, HttpRequest, HttpResponse, LlmChunk, Message, SessionEvent } from '../src/host/types.ts'

type Listener = (...args: unknown[]) => unknown

export class ScriptedHost {
  listeners = new Map<string, Set<Listener>>()
  services = new Map<string, unknown>()
  disposers: (() => void)[] = []
  logs: string[] = []
  agents = new Map<string, ScriptedAgent>()
  goals = new Map<string, GoalView>()
  pauses: unknown[] = []
  commands = new Map<string, Parameters<Commands['register']>[0]>()
  routes = new Map<string, (request: HttpRequest, response: HttpResponse) => void>()
  contributions: { package: string; invocations: { id: string }[] }[] = []
  provided = new Map<string, Record<string, (...args: string[]) => Promise<unknown>>>()
  stream: (options: Record<string, unknown>) => AsyncIterable<LlmChunk> = async function* () {
    yield { type: 'text-delta', text: 'NEXT: Write a test' }
    yield { type: 'usage', usage: { inputTokens: 10, cacheReadTokens: 5, outputTokens: 3 } }
    yield { type: 'finish', reason: { kind: 'stop' } }
  }
  #injected: { names: string[]; run: (ctx: Context) => void }[] = []
  appending = false

  readonly ctx: Context = {
    on: (event, listener) => {
      const set = this.listeners.get(event) ?? new Set()
      this.listeners.set(event, set)
      set.add(listener as Listener)
      return () => set.delete(listener as Listener)
    },
    effect: setup => void this.disposers.push(setup()),
    inject: (names, run) => {
      if (names.every(name => this.services.has(name))) run(this.ctx)
      else this.#injected.push({ names, run })
    },
    get: name => this.services.get(name),
    logger: () => {
      const say = (...args: unknown[]): void => void this.logs.push(args.join(' '))
      return { info: say, warn: say, error: say, debug: say }
    },
    bail: (event, ...args) => {
      for (const listener of this.listeners.get(event) ?? []) {
        const answer = listener(...args)
        if (answer !== undefined) return answer
      }
      return undefined
    },
    provide: (name, value) => void this.provided.set(name, value as never),
  }

  constructor({ web = true }: { web?: boolean } = {}) {
    this.services.set('agents', {
      get: (id: string) => this.agents.get(id),
      list: () => [...this.agents.values()],
      roots: () => [...this.agents.values()].filter(agent => agent.session.header.origin === undefined),
    })
    this.services.set('llm', {
      stream: (options: Record<string, unknown>) => this.stream(options),
      listProviders: () => [{ id: 'p', name: 'Provider P' }, { id: 'slow' }],
      listModels: async (provider: string) => {
        if (provider === 'slow') throw new Error('no list')
        return [{ id: 'm', name: 'Model M' }, { id: 'better' }]
      },
      resolveModelInfo: async () => ({ reasoning: { efforts: [{ id: 'off', name: 'Off' }, { id: 'high', name: 'High' }], defaultEffort: 'high' } }),
    })
    this.services.set('goals', {
      get: (agent: Agent) => this.goals.get(agent.id),
      pause: async (agent: Agent, ref: { id: string; revision: number }) => {
        this.pauses.push(ref)
        const goal = this.goals.get(agent.id)
        if (goal === undefined || goal.revision !== ref.revision) throw Object.assign(new Error('stale'), { code: 'GOAL_STALE_REVISION' })
        this.goals.set(agent.id, { ...goal, phase: 'paused', revision: goal.revision + 1 })
        this.emit('goal/changed', { agent })
      },
    })
    this.services.set('commands', { register: (command: Parameters<Commands['register']>[0]) => {
      if (this.commands.has(command.name)) throw new Error(`taken: ${command.name}`)
      this.commands.set(command.name, command)
    } })
    this.services.set('typert', { register: (contribution: never) => {
      const { package: owner } = contribution as { package: string }
      if (this.contributions.some(known => known.package === owner)) throw new Error(`package face "${owner}" is already registered`)
      this.contributions.push(contribution)
    } })
    if (web) this.services.set('webServer', { register: ({ path, handler }: { path: string; handler: never }) => {
      if (this.routes.has(path)) throw new Error(`duplicate ${path}`)
      this.routes.set(path, handler)
      return () => this.routes.delete(path)
    } })
  }

  /** A service comes up late, as services do. */
  provide(name: string, service: unknown): void {
    this.services.set(name, service)
    const ready = this.#injected.filter(entry => entry.names.every(needed => this.services.has(needed)))
    this.#injected = this.#injected.filter(entry => !ready.includes(entry))
    for (const { run } of ready) run(this.ctx)
  }

  emit(event: string, ...args: unknown[]): void {
    for (const listener of this.listeners.get(event) ?? []) listener(...args)
  }

  agent(id: string, header: Record<string, unknown> = {}, past: SessionEvent[] = []): ScriptedAgent {
    const agent = new ScriptedAgent(this, id, header, past)
    this.agents.set(id, agent)
    this.emit('agent/created', { agent })
    return agent
  }

  /** A changed row, as the host tells a mount. Gives whether the host was left to mount it anew. */
  update(config: unknown): boolean {
    let anew = false
    for (const listener of this.listeners.get('internal/update') ?? []) listener(config, true, () => { anew = true })
    return anew
  }

  settings(method: string, ...args: unknown[]): Promise<any> {
    return Promise.resolve(this.provided.get('suggest_advisor')?.[method]?.(...(args as string[])))
  }

  command(agent: string, line: string, name = 'suggest'): Promise<CommandResult> {
    const command = this.commands.get(name)
    if (command === undefined) throw new Error(`no command ${name}`)
    return command.handler({ agent: this.agents.get(agent) as Agent, rawInput: ` ${line}` })
  }

  verb(session: string, line: string): Promise<{ text: string; code: string; fill?: string }> {
    return this.provided.get('suggestBar')?.['verb']?.(session, line) as never
  }

  frame(session: string): { link: { kind: string; code?: string; message?: string }; state: Record<string, any> | null; disarmedByRestart: boolean } | null {
    return this.provided.get('suggestBar')?.['state']?.(session) as never
  }

  async until<T>(what: string, look: () => T | undefined | false | null, ms = 5_000): Promise<T> {
    const end = Date.now() + ms
    for (;;) {
      const found = look()
      if (found) return found
      if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}\n${this.logs.join('\n')}`)
      await sleep(5)
    }
  }

  dispose(): void {
    for (const dispose of this.disposers.reverse()) dispose()
    this.disposers = []
  }
}

export class ScriptedAgent implements Agent {
  id: string
  status: 'idle' | 'running' = 'idle'
  session: Agent['session'] & { events: SessionEvent[] }
  turn = 0
  said: Message[] = []
  #host: ScriptedHost
  inbox = {
    nextTurn: [] as Message[],
    nextStep: [] as Message[],
    get hasPending(): boolean { return this.nextTurn.length + this.nextStep.length > 0 },
    remove(id: string): boolean {
      const at = this.nextTurn.findIndex(message => message.id === id)
      if (at >= 0) this.nextTurn.splice(at, 1)
      return at >= 0
    },
  }

  constructor(host: ScriptedHost, id: string, header: Record<string, unknown>, past: SessionEvent[]) {
    this.#host = host
    this.id = id
    this.session = { id, header: { version: 0, ...header }, events: [...past], firstLiveSeq: past.length }
    this.turn = past.filter(event => event.type === 'turn/start').length
  }

  append(type: string, data: unknown): void {
    if (this.#host.appending) throw new Error('session append cannot reenter while another append is being published')
    const event = { type, seq: this.session.events.length, data }
    this.session.events.push(event)
    this.#host.appending = true
    try {
      this.#host.emit('session/event', this.session, event)
    } finally {
      this.#host.appending = false
    }
  }

  followup(message: Message): void {
    if (this.#host.appending) throw new Error('session append cannot reenter while another append is being published')
    this.said.push(message)
    this.inbox.nextTurn.push(message)
    this.#host.emit('agent/inbox/inserted', { agent: this, message })
    if (this.status === 'idle') this.begin()
  }

  /** The next queued message becomes a turn. */
  begin(): void {
    const message = this.inbox.nextTurn.shift()
    if (message === undefined) return
    this.set('running')
    this.append('turn/start', { turn: ++this.turn })
    this.#host.emit('agent/inbox/claimed', { agent: this, message, turn: this.turn })
    this.append('user/message', message)
  }

  end(kind = 'completed'): void {
    this.append('assistant/message', { turn: this.turn, step: 1, message: { id: `a${this.turn}`, role: 'assistant', content: [{ type: 'text', text: 'done' }], source: { kind: 'model' } } })
    this.append('turn/end', { turn: this.turn, reason: { kind } })
    if (this.inbox.hasPending) this.begin()
    else this.set('idle')
  }

  human(text: string): void {
    this.followup({ id: `h${this.said.length}`, role: 'user', content: [{ type: 'text', text }], source: { kind: 'user' } })
  }

  set(status: 'idle' | 'running'): void {
    if (this.status === status) return
    this.status = status
    this.#host.emit('agent/status', { agent: this, status })
  }
}

export class ScriptedResponse {
  status = 0
  text = ''
  ended = false
  full = false
  #listeners = new Map<string, (() => void)[]>()
  writeHead(status: number): void { this.status = status }
  write(text: string): boolean {
    this.text += text
    return !this.full
  }
  end(text = ''): void {
    this.text += text
    this.ended = true
    this.fire('close')
  }
  destroy(): void { this.ended = true }
  on(event: string, listener: (...args: never[]) => void): this {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener as () => void])
    return this
  }
  fire(event: string): void { for (const listener of this.#listeners.get(event) ?? []) listener() }
}
