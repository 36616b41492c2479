// A scripted editor: it starts `suggest acp -- AGENT`, speaks version 1 of the protocol, and keeps every line.
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'

const PATIENCE = 40_000

export class Editor {
  lines = []
  sent = []
  #waiting = []
  #next = 0

  constructor({ command, env, cwd, log }) {
    this.child = spawn(command[0], command.slice(1), { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    this.child.stderr.pipe(createWriteStream(log, { flags: 'a' }))
    this.child.stdin.on('error', () => {})
    this.ended = new Promise(resolve => this.child.on('exit', (code, signal) => resolve({ code, signal })))
    let rest = Buffer.alloc(0)
    this.child.stdout.on('data', part => {
      rest = Buffer.concat([rest, part])
      for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
        this.#heard(rest.subarray(0, at + 1))
        rest = rest.subarray(at + 1)
      }
    })
    this.child.stdout.on('end', () => { for (const { reject } of this.#waiting.splice(0)) reject(new Error('the agent is gone')) })
  }

  #heard(line) {
    let message
    try { message = JSON.parse(line) } catch { message = {} }
    this.lines.push({ line, message })
    if (message.method === 'session/request_permission') {
      const { options } = message.params
      const option = options.find(option => option.kind.startsWith('allow')) ?? options[0]
      this.send({ jsonrpc: '2.0', id: message.id, result: { outcome: { outcome: 'selected', optionId: option.optionId } } })
    } else if (message.method && message.id !== undefined) {
      this.send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'method not found' } })
    }
    for (const waiter of [...this.#waiting]) {
      if (waiter.fits(message)) {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        waiter.resolve(message)
      }
    }
  }

  send(message) {
    const line = `${JSON.stringify(message)}\n`
    this.sent.push(line)
    this.child.stdin.write(line)
  }

  /** A message that fits, of those since `from` or later. */
  until(what, fits, from = this.lines.length) {
    const known = this.lines.slice(from).find(({ message }) => fits(message))
    if (known) return Promise.resolve(known.message)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`${what} did not come; the last lines: ${this.lines.slice(-4).map(({ line }) => String(line).slice(0, 300)).join('')}`))
      }, PATIENCE)
      this.#waiting.push({ fits, reject, resolve: message => { clearTimeout(timer); resolve(message) } })
    })
  }

  /** Asks, and gives the request's id at once and its answer later. */
  ask(method, params) {
    this.#next += 1
    const id = this.#next
    const from = this.lines.length
    this.send({ jsonrpc: '2.0', id, method, params })
    const answer = this.until(`the answer to ${method}`, message => message.id === id && !message.method, from)
    return { id, answer, from }
  }

  prompt(session, text) {
    return this.ask('session/prompt', { sessionId: session, prompt: [{ type: 'text', text }] })
  }

  /** The agent's words between two lines. */
  words(from, to = this.lines.length) {
    return this.lines.slice(from, to).map(({ message }) => {
      const update = message.params?.update
      return update?.sessionUpdate === 'agent_message_chunk' ? update.content.text ?? '' : ''
    }).join('')
  }

  cancel(session) {
    this.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: session } })
  }

  /** What `/next` is described as, once it fits. */
  async described(part, from = 0) {
    const text = message => message.params?.update?.availableCommands?.find(command => command.name === 'next')?.description
    return text(await this.until(`/next with ${part}`, message => text(message)?.includes(part), from))
  }

  async open(cwd) {
    const capabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }
    const hello = await this.ask('initialize', { protocolVersion: 1, clientCapabilities: capabilities, clientInfo: { name: 'scripted', version: '1' } }).answer
    if (hello.error) throw new Error(JSON.stringify(hello))
    const made = await this.ask('session/new', { cwd, mcpServers: [] }).answer
    if (!made.result?.sessionId) throw new Error(JSON.stringify(made))
    return made.result.sessionId
  }

  async close() {
    this.child.stdin.end()
    return this.ended
  }

  kill() {
    try { process.kill(-this.child.pid, 'SIGKILL') } catch { /* it has ended */ }
  }
}
