/** The host half: forwards what happens, does what the sidecar asks, and shows what it says. It decides nothing. */
import { printLink } from '../common/block.ts'
import { readState, type Frame, type VerbAnswer } from '../common/state.ts'
import { AdvisorCalls } from './advisor.ts'
import { findBinary } from './binary.ts'
import { contribute } from './calls.ts'
import { claim, keep } from './claim.ts'
import { loud, readConfig } from './config.ts'
import { Frames } from './frames.ts'
import { asRecord, attempt, describe, guarded } from './guard.ts'
import { Models } from './model.ts'
import { RpcError } from './peer.ts'
import { PATH, Route } from './route.ts'
import { RowFiles } from './row.ts'
import { Session, type Submission } from './session.ts'
import { PROTOCOL, Sidecar } from './sidecar.ts'
import { offerToTerminals } from './terminal.ts'
import type { Agent, Agents, CommandResult, Commands, Context, Goals, HostSession, HttpRequest, HttpResponse, Llm, Message, SessionEvent, Typert, WebServer } from './types.ts'

const PACKAGE = 'dsh-suggest'
const VERSION = '0.1.0'

/** A verb of a human is answered in this time, by the sidecar or by the plugin in its place. */
const VERB_MS = 6_000
/** A model that is pinned is tried first (rule V7). */
const TRIAL_MS = 65_000
/** A first command where nothing runs yet starts the engine, and waits so long for it. */
const START_MS = 5_000
const CHECK_MS = 5_000
const MAX_LINE_CHARACTERS = 4_096

const GLOBAL = { global: true }

const HELP =
  'state · status · model [provider/model|clear] · on · off · run [id] · autorun on|off|reset · retry · report · summary · cards [accept|dismiss ID] · help'

const ADVISOR_HELP = 'on · off · status · config · model · model set PROVIDER MODEL · model reset'

export function mount(ctx: Context, raw: unknown): void {
  const log = ctx.logger('suggest')
  let row = raw
  let plugin: Plugin | undefined
  const mine = claim(() => {
    plugin = attempt(() => new Plugin(ctx, row), undefined)
  })
  if (!mine.owned()) log.info('another mount of this plugin is at work; this one waits')
  // A row that changes while dsh runs would mount the plugin anew, and every loop and pin would be gone.
  const changed = (config: unknown): void => {
    row = config
    plugin?.reconfigure(config)
  }
  attempt(() => ctx.on('internal/update', guarded(log, 'a changed row', changed) as never), undefined)
  ctx.effect(
    () => () => {
      attempt(() => plugin?.dispose(), undefined)
      mine.release()
    },
    'suggest',
  )
}

export class Plugin {
  readonly frames = new Frames()
  readonly sidecar: Sidecar
  readonly sessions = new Map<string, Session>()
  #ctx: Context
  #log: ReturnType<Context['logger']>
  #config: ReturnType<typeof readConfig>
  #advisor: AdvisorCalls
  #checks = 0
  /** The row that the sidecar knows. */
  #toldRow: unknown
  #models: Models | undefined
  #agents: Agents | undefined
  /** A page can be there. */
  #web = false
  /** The engine is wanted: by a page, or for the advisor where no page is. */
  #entered = false
  #disposed = false
  #linkedOnce = false
  /** Texts for the input of the page whose verb is being answered. */
  #fills = new Map<string, { text: string | undefined }>()
  /** Verbs that were typed into the input of some page, by session, while they are being answered. */
  #typed = new Map<string, number>()
  #route: Route | undefined

  constructor(ctx: Context, raw: unknown) {
    this.#ctx = ctx
    this.#log = ctx.logger('suggest')
    this.#config = readConfig(raw)
    const files = new RowFiles(ctx)
    this.sidecar = new Sidecar({
      find: () => findBinary({ configured: this.#config.binary }),
      hello: () => {
        this.#toldRow = this.#config.rest
        return { protocol: PROTOCOL, plugin: { name: PACKAGE, version: VERSION }, host: { name: 'dsh' }, config: this.#config.rest, transfer: 'host' }
      },
      log: this.#log,
      events: {
        linked: greeting => this.#linked(greeting),
        unlinked: (code, message) => this.#unlinked(code, message),
        request: (method, params) => this.#request(method, params),
        notification: (method, params) => this.#notification(method, params),
      },
    })
    if (this.#config.problem !== undefined) this.frames.setLink({ kind: 'off', code: 'configuration', message: this.#config.problem })
    this.#advisor = new AdvisorCalls({
      llm: () => this.#ctx.get('llm') as Llm | undefined,
      row: () => ({ ...this.#config.own, ...this.#config.rest }),
      off: () => (this.frames.link.kind === 'off' ? this.frames.link.message : undefined),
      check: row => this.#check(row),
      apply: row => this.reconfigure(row),
      files,
      state: session => this.frames.get(session)?.state,
      verb: (session, line) => this.verb(session, line, true),
      efforts: async (provider, model) => asRecord(await this.#models?.info({ provider, model }))?.['efforts'],
    })

    this.#inject(['agents', 'llm'], c => {
      this.#agents = c.get('agents') as Agents
      this.#models = new Models(c.get('llm') as Llm)
      this.#listen(c)
      // Headless and other compositions without pages have no input to suggest for, and pay nothing (rule D12).
      this.#inject(['webServer'], web => this.#serve(web))
      this.#enterForAdvisor()
    })
    this.#inject(['commands'], c => this.#register(c.get('commands') as Commands))
    this.#inject(['typert'], c => this.#contribute(c, c.get('typert') as Typert))
    offerToTerminals((services, run) => this.#inject(services, run), () => files.id())
  }

  /** The row changed while dsh runs: it holds at once, for all sessions. */
  reconfigure(raw: unknown): void {
    if (this.#disposed) return
    const before = this.#config
    const config = readConfig(raw)
    if (JSON.stringify(config) === JSON.stringify(before)) return
    this.#config = config
    if (config.problem !== undefined) {
      // Nothing runs on a row that is wrong.
      this.#models?.cancelAll()
      this.sidecar.stop()
      for (const session of this.sessions.values()) session.unlink()
      this.frames.setLink({ kind: 'off', code: 'configuration', message: config.problem })
      return
    }
    if (before.problem !== undefined) this.frames.setLink({ kind: 'starting' })
    this.#enterForAdvisor()
    if (!this.#entered) return
    if (before.problem !== undefined) return this.sidecar.start()
    if (config.binary !== before.binary) return this.sidecar.restart()
    if (this.sidecar.linked) this.#tellRow()
  }

  #tellRow(): void {
    const { rest } = this.#config
    const check = ++this.#checks
    this.#toldRow = rest
    this.sidecar.notify('config', { config: rest })
    this.#check(rest).then(
      wrong => {
        if (check !== this.#checks || !this.sidecar.linked) return
        this.frames.setLink(wrong === undefined ? { kind: 'linked' } : { kind: 'off', code: 'configuration', message: wrong })
      },
      error => this.#log.warn(`checking the row: ${describe(error)}`),
    )
  }

  async #check(row: Record<string, unknown>): Promise<string | undefined> {
    const off = asRecord(asRecord(await this.sidecar.request('config/check', { config: row }, CHECK_MS))?.['off'])
    return off === undefined ? undefined : String(off['message'] ?? 'the configuration is wrong')
  }

  dispose(): void {
    this.#disposed = true
    this.#models?.cancelAll()
    this.sidecar.dispose()
    this.sessions.clear()
  }

  /** One verb of a human, from the command or from a page. */
  async verb(id: string, line: string, fromPage: boolean): Promise<VerbAnswer> {
    const words = line.trim().replace(/\s+/g, ' ')
    if (words.length > MAX_LINE_CHARACTERS) return { code: 'bad-argument', text: `a command has at most ${MAX_LINE_CHARACTERS} characters` }
    const advisor = /^advisor( |$)/.test(words)
    if (!this.#web && advisor) await this.#entry(id)
    else if (!this.#web) return { code: 'headless', text: 'suggestions need the web profile' }
    const session = this.sessions.get(id)
    if (session === undefined) {
      const text = advisor ? 'this session has no advisor: only top-level sessions have one' : 'this session has no suggestions: only top-level sessions of the web profile have them'
      return { code: 'subagent', text }
    }
    const { link } = this.frames
    if (link.kind === 'unlinked') this.sidecar.nudge()
    if (link.kind !== 'linked' || !session.live) return this.#withoutEngine(words)
    if (/^autorun on$/i.test(words)) session.armed()
    this.frames.acknowledge(id)
    const fill = { text: undefined as string | undefined }
    if (fromPage) this.#fills.set(id, fill)
    else this.#typed.set(id, (this.#typed.get(id) ?? 0) + 1)
    session.caughtUp()
    try {
      const answer = asRecord(await this.sidecar.request('command', { session: id, line: words }, /^advisor model set /.test(words) ? TRIAL_MS : VERB_MS))
      const text = typeof answer?.['text'] === 'string' ? answer['text'] : ''
      const code = typeof answer?.['code'] === 'string' ? answer['code'] : 'unknown-command'
      return fill.text === undefined ? { text, code } : { text, code, fill: fill.text }
    } catch (error) {
      return { code: 'unlinked', text: `the engine did not answer: ${describe(error)}` }
    } finally {
      if (this.#fills.get(id) === fill) this.#fills.delete(id)
      if (!fromPage) {
        const left = (this.#typed.get(id) ?? 1) - 1
        if (left > 0) this.#typed.set(id, left)
        else this.#typed.delete(id)
      }
    }
  }

  #withoutEngine(words: string): VerbAnswer {
    const { link } = this.frames
    const block = printLink(link)
    const code = link.kind === 'off' ? 'off' : 'unlinked'
    if (words === 'advisor status') return { code: 'ok', text: block }
    if (words === 'help') return { code: 'ok', text: HELP }
    if (words === 'state') return { code: 'ok', text: block }
    const line =
      link.kind === 'off'
        ? `off: ${link.message}`
        : link.kind === 'unlinked'
          ? `unlinked: ${link.message}; the plugin starts it again`
          : 'unlinked: the engine is being told the session; try again in a moment'
    return { code: words === '' || words === 'status' ? 'ok' : code, text: line }
  }

  // ---- the sidecar ----

  #linked(greeting: { version: string; off: { code: string; message: string } | null }): void {
    this.#log.info(`linked with suggest ${greeting.version}`)
    const resumed = this.#linkedOnce
    this.#linkedOnce = true
    if (this.#config.problem === undefined) {
      this.frames.setLink(greeting.off === null ? { kind: 'linked' } : { kind: 'off', ...greeting.off })
    }
    // The row may have changed since the greeting left.
    if (this.#toldRow !== this.#config.rest) this.#tellRow()
    for (const session of this.sessions.values()) this.#tell(session, resumed)
  }

  #unlinked(code: string, message: string): void {
    this.#models?.cancelAll()
    for (const session of this.sessions.values()) session.unlink()
    if (this.#config.problem === undefined) this.frames.setLink({ kind: 'unlinked', code, message })
  }

  #tell(session: Session, resumed: boolean): void {
    session.open(resumed, () => this.#room()).catch(error => this.#log.warn(`telling a session: ${describe(error)}`))
  }

  /** Lets the host work between two parts of a past, and the sidecar read. */
  async #room(): Promise<void> {
    for (let waited = 0; waited === 0 || (this.sidecar.waiting > 4 * 1024 * 1024 && waited < 1_000); waited++) {
      await new Promise(resolve => setTimeout(resolve, waited === 0 ? 0 : 10))
    }
  }

  #request(method: string, params: Record<string, unknown>): unknown {
    const session = typeof params['session'] === 'string' ? this.sessions.get(params['session']) : undefined
    if (method === 'model/info') {
      if (this.#models === undefined) throw new RpcError(-32603, 'the host has no model service')
      return this.#models.info(params)
    }
    if (session === undefined || this.#disposed) throw new RpcError(-32602, `${method}: no such session`)
    const text = typeof params['text'] === 'string' ? params['text'] : ''
    switch (method) {
      case 'submit': {
        const submission = readSubmission(params)
        if (submission === undefined) throw new RpcError(-32602, 'a submission needs ticket, text, author and expectations')
        return session.submit(submission)
      }
      case 'withdraw':
        return { withdrawn: session.withdraw(Number(params['ticket'])) }
      case 'goal/pause':
        return session.pauseGoal(String(params['id']), Number(params['revision']))
      case 'steer':
      case 'inject':
        return session.note(method, text, typeof params['summary'] === 'string' ? params['summary'] : text, 'advisor')
      case 'input/fill': {
        const fill = this.#fills.get(session.id)
        if (fill !== undefined) {
          fill.text = text
          return { ok: true }
        }
        // Who typed the command sits before one of the pages: the one that has the focus takes the text.
        if (!this.#typed.has(session.id)) return { ok: false, reason: 'nobody asked for it' }
        return this.#route?.fill(session.id, text) === true ? { ok: true } : { ok: false, reason: 'no page is open' }
      }
      case 'model/complete':
        if (this.#models === undefined) throw new RpcError(-32603, 'the host has no model service')
        return this.#models.complete(session.host, params)
      default:
        throw new RpcError(-32601, `no method ${method}`)
    }
  }

  #notification(method: string, params: Record<string, unknown>): void {
    switch (method) {
      case 'state': {
        const id = String(params['session'])
        keep(id, params)
        const state = readState(params['state'])
        if (state === undefined) this.#log.warn('the sidecar sent a state that this plugin cannot read')
        else this.frames.state(id, state)
        return
      }
      case 'model/cancel':
        this.#models?.cancel(params['call'])
        return
      case 'log': {
        const { level, message } = params
        if (typeof message === 'string' && loud(level, this.#config.logLevel)) (this.#log[level] ?? this.#log.info).call(this.#log, message.slice(0, 500))
        return
      }
      default:
        // `report` is printed by the command; newer sidecars may say more.
        return
    }
  }

  // ---- the host ----

  /** Runs when the services are there, and never when they are not. */
  #inject(services: string[], run: (ctx: Context) => void): void {
    attempt(() => this.#ctx.inject(services, guarded(this.#log, services.join(', '), run)), undefined)
  }

  #eligible(agent: Agent): boolean {
    const agents = this.#agents
    if (!this.#entered || agents === undefined) return false
    return agent.session.header.origin === undefined && agents.get(agent.id) === agent && agents.roots().includes(agent)
  }

  #open(agent: Agent): void {
    const agents = this.#agents
    if (agents === undefined || this.#disposed || !this.#eligible(agent)) return
    const known = this.sessions.get(agent.id)
    if (known?.agent === agent) return
    if (known !== undefined) this.#close(known)
    const session = new Session(agent, {
      agents,
      goals: () => this.#ctx.get('goals') as Goals | undefined,
      web: () => this.#web,
      notify: (method, params) => this.sidecar.notify(method, params),
      chapters: session => attempt(() => this.#ctx.bail?.('suggest/chapters', session), undefined),
    })
    this.sessions.set(session.id, session)
    this.frames.open(session.id)
    if (this.sidecar.linked) this.#tell(session, session.host.events.length > 0 && (session.host.firstLiveSeq ?? 0) > 0)
  }

  #close(session: Session): void {
    session.unlink()
    this.sessions.delete(session.id)
    this.frames.close(session.id)
    this.sidecar.notify('session/closed', { session: session.id })
  }

  #listen(ctx: Context): void {
    const on = <T>(event: string, run: (payload: T) => void): void => {
      attempt(() => ctx.on(event, guarded(this.#log, event, (payload: T) => { if (!this.#disposed) run(payload) }) as never, GLOBAL), undefined)
    }
    const of = (agent: Agent, run: (session: Session) => void): void => {
      const session = this.sessions.get(agent.id)
      if (session !== undefined && session.agent === agent) run(session)
    }
    on<{ agent: Agent }>('agent/created', ({ agent }) => {
      this.#enterForAdvisor()
      this.#open(agent)
    })
    on<{ agent: Agent }>('agent/disposed', ({ agent }) => of(agent, session => this.#close(session)))
    on<{ agent: Agent }>('agent/status', ({ agent }) => of(agent, session => session.status()))
    on<{ agent: Agent }>('goal/changed', ({ agent }) => of(agent, session => session.goalChanged()))
    on<{ session?: unknown } | undefined>('suggest/chapter', told => {
      if (typeof told?.session === 'string') this.sessions.get(told.session)?.chaptered(told)
    })
    for (const kind of ['inserted', 'claimed', 'discarded'] as const) {
      on<{ agent: Agent; message: Message }>(`agent/inbox/${kind}`, ({ agent, message }) => of(agent, session => session.inboxed(kind, message)))
    }
    // Fires inside the host's append: it is told on, and nothing is done about it here.
    const event = guarded(this.#log, 'session/event', (host: HostSession, event: SessionEvent) => {
      const session = this.#disposed ? undefined : this.sessions.get(host.id)
      if (session !== undefined && session.host === host) session.event(event)
    })
    attempt(() => ctx.on('session/event', event as never, GLOBAL), undefined)
  }

  /** The engine is wanted from now on. */
  #enter(): void {
    if (this.#entered || this.#disposed) return
    this.#entered = true
    if (this.#config.problem === undefined) this.sidecar.start()
    for (const agent of this.#agents?.list() ?? []) guarded(this.#log, 'opening a session', () => this.#open(agent))()
  }

  /**
   * The advisor needs no page: its pair in the row is the host's word for it (rule D12). The headless profile is out
   * before a note could be read, so that a review there would be paid for nothing.
   */
  #enterForAdvisor(): void {
    const somebody = (this.#agents?.list().length ?? 0) > 0
    const oneTask = attempt(() => this.#ctx.get('headlessStartup'), undefined) !== undefined
    if (this.#config.advises && somebody && !oneTask) this.#enter()
  }

  /** A person speaks to the advisor where no page is: that starts it, and the answer waits until it is there. */
  async #entry(id: string): Promise<void> {
    this.#enter()
    const ready = (): boolean => this.sessions.get(id)?.live !== false || this.frames.link.kind === 'off' || this.frames.link.kind === 'unlinked'
    for (const end = Date.now() + START_MS; !ready() && Date.now() < end; ) await new Promise(resolve => setTimeout(resolve, 20))
  }

  #serve(ctx: Context): void {
    this.#web = true
    const server = ctx.get('webServer') as WebServer
    const connection = () => asRecord(this.#ctx.get('connection'))
    const route = new Route(
      this.frames,
      () => {
        const hosts = attempt(() => connection()?.['trustedHosts'], undefined)
        return Array.isArray(hosts) ? hosts.filter((host): host is string => typeof host === 'string') : []
      },
      this.#log,
    )
    this.#route = route
    ctx.effect(() => {
      const release = server.register({ kind: 'exact', path: PATH, handler: guarded(this.#log, PATH, (request: HttpRequest, response: HttpResponse) => route.handle(request, response)) })
      return () => {
        attempt(release, undefined)
        route.close()
      }
    }, 'suggest: event stream')
    if (!this.#entered) return this.#enter()
    // They were told as sessions without a page.
    for (const session of this.sessions.values()) if (this.sidecar.linked) this.#tell(session, false)
  }

  #register(commands: Commands): void {
    const family = (name: string, description: string, prefix: string): void => {
      try {
        commands.register({
          name,
          description,
          input: { hint: prefix === '' ? HELP : ADVISOR_HELP },
          recordInput: true,
          handler: async ({ agent, rawInput }): Promise<CommandResult> => {
            try {
              const { text, code } = await this.verb(agent.id, `${prefix}${rawInput ?? ''}`, false)
              return { kind: code === 'ok' ? 'success' : 'error', text }
            } catch (error) {
              return { kind: 'error', text: describe(error) }
            }
          },
        })
      } catch (error) {
        this.#log.info(`the command /${name} is not ours: ${describe(error)}`)
      }
    }
    family('suggest', 'The next step: show it, run it, choose the model that writes it', '')
    family('chapters-prompt', 'The next step: the same as /suggest', '')
    family('advisor', 'The advisor: a second model that reviews each turn', 'advisor ')
  }

  /** The calls of the pages: they leave no trace in the session's log. */
  #contribute(ctx: Context, typert: Typert): void {
    contribute(ctx, typert, PACKAGE, 'suggestBar', {
      verb: [(session, line) => this.verb(String(session), String(line), true), 'session', 'line'],
      state: [(session): Frame | null => this.frames.get(String(session)) ?? null, 'session'],
    })
    // Another plugin may have the name; then its settings are not ours to serve.
    try {
      contribute(ctx, typert, PACKAGE, 'advisor', {
        get: [() => this.#advisor.get()],
        set: [(config, revision) => this.#advisor.set(config, revision), 'config', 'revision'],
        efforts: [(provider, model) => this.#advisor.efforts(String(provider), String(model)), 'provider', 'model'],
        getSession: [session => this.#advisor.getSession(String(session)), 'session'],
        setSessionModel: [(session, provider, model) => this.#advisor.setSessionModel(String(session), provider, model), 'session', 'provider', 'model'],
      })
    } catch (error) {
      this.#log.info(`the calls of the advisor's settings are not ours: ${describe(error)}`)
    }
  }
}

function readSubmission(params: Record<string, unknown>): Submission | undefined {
  const { ticket, text, author } = params
  const expect = asRecord(params['expect'])
  if (typeof ticket !== 'number' || typeof text !== 'string' || text === '' || expect === undefined) return undefined
  if (author !== 'human' && author !== 'suggest') return undefined
  const { turn, humanEpoch } = expect
  const goal = asRecord(expect['goal'])
  if (author === 'suggest' && (typeof turn !== 'number' || typeof humanEpoch !== 'number')) return undefined
  return {
    ticket,
    text,
    author,
    expect: {
      turn: typeof turn === 'number' ? turn : null,
      humanEpoch: typeof humanEpoch === 'number' ? humanEpoch : -1,
      goal: goal === undefined ? null : { id: String(goal['id']), revision: Number(goal['revision']) },
    },
  }
}
