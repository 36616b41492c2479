/**
 * The parts of dsh that the plugin touches, by shape. Nothing is imported from dsh, so that one package fits several
 * versions of it; what is optional here is absent on some of them.
 */

/** A dsh plugin context. */
export interface Context {
  on(event: string, listener: (...args: never[]) => unknown, options?: { global?: boolean }): () => void
  effect(setup: () => () => void, label?: string): unknown
  inject(services: string[], callback: (ctx: Context) => void): unknown
  get(service: string): unknown
  logger(name: string): Logger
  /** Asks the listeners of an event one after the other; the first answer counts. */
  bail?(event: string, ...args: unknown[]): unknown
  provide?(service: string, value: unknown): unknown
  /** The folder of the profile. */
  baseUrl?: unknown
  /** The mount; its entry holds the row. */
  fiber?: unknown
}

export interface Logger {
  info(...args: unknown[]): void
  warn(...args: unknown[]): void
  error(...args: unknown[]): void
  debug?(...args: unknown[]): void
}

/** Who or what wrote a message. */
export interface Source {
  kind: string
  [field: string]: unknown
}

export interface Message {
  id: string
  role: 'user' | 'assistant'
  content: { type: 'text'; text: string }[]
  source: Source
}

export interface SessionEvent {
  type: string
  seq: number
  time?: unknown
  data: unknown
}

export interface HostSession {
  id: string
  header: { version?: number; origin?: string; [field: string]: unknown }
  events: readonly SessionEvent[]
  firstLiveSeq?: number
}

export interface Agent {
  id: string
  session: HostSession
  status: 'idle' | 'running'
  inbox: {
    nextTurn: readonly Message[]
    nextStep: readonly Message[]
    hasPending: boolean
    remove(messageId: string): boolean
  }
  followup(message: Message): unknown
  steer?(message: Message): unknown
  inject?(message: Message): unknown
}

export interface Agents {
  get(id: string): Agent | undefined
  list(): readonly Agent[]
  roots(): readonly Agent[]
}

export interface GoalView {
  id: string
  revision: number
  objective: string
  phase: 'active' | 'paused' | 'blocked' | 'complete'
  activation: 'armed' | 'disarmed'
  [field: string]: unknown
}

export interface Goals {
  get(agent: Agent): GoalView | undefined | null
  pause(agent: Agent, ref: { id: string; revision: number }): unknown
}

export interface LlmFailure {
  message?: string
  code?: string
  status?: number
}

export interface LlmChunk {
  type: string
  text?: string
  usage?: Record<string, unknown>
  reason?: { kind: string; failure?: LlmFailure }
}

export interface Llm {
  stream(options: Record<string, unknown>): AsyncIterable<LlmChunk>
  resolveModelInfo?(provider: string, model: string): unknown
  listProviders?(): readonly { id: string; name?: string }[]
  listModels?(provider: string): Promise<readonly { id: string; name?: string }[]>
}

export interface CommandResult {
  kind: 'success' | 'error'
  text: string
}

export interface Commands {
  register(command: {
    name: string
    description: string
    input?: { hint: string }
    recordInput?: boolean
    handler: (call: { agent: Agent; rawInput?: string }) => Promise<CommandResult>
  }): unknown
}

export interface HttpRequest {
  method?: string | undefined
  headers: Record<string, string | string[] | undefined>
  on(event: string, listener: (...args: never[]) => void): unknown
}

export interface HttpResponse {
  writeHead(status: number, headers?: Record<string, string>): unknown
  write(text: string): boolean
  end(text?: string): unknown
  destroy(): unknown
  on(event: string, listener: (...args: never[]) => void): unknown
  writableLength?: number
}

export interface WebServer {
  register(route: {
    kind: 'exact'
    path: string
    handler: (request: HttpRequest, response: HttpResponse) => void
  }): () => void
}

export interface Typert {
  register(contribution: unknown): unknown
}
