// One dsh with its own home, the plugin installed by the documented command, and a model server. All of it goes away.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { startModelServer } from './model-server.mjs'
import { until } from './wait.mjs'

const HOST = process.env.SUGGEST_E2E_HOST
const TARBALL = process.env.SUGGEST_E2E_PLUGIN
const BIN = join(HOST, 'node_modules/@deepseek-ai/dsh/lib/bin.js')

/** What is left when a test process ends before its own clean-up: folders to remove, process groups to end. */
const leftovers = { folders: new Set(), groups: new Set() }
process.on('exit', () => {
  for (const pid of leftovers.groups) try { process.kill(-pid, 'SIGKILL') } catch { /* it is gone */ }
  for (const folder of leftovers.folders) try { rmSync(folder, { recursive: true, force: true }) } catch { /* likewise */ }
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => process.exit(1))

/** A folder that goes away with the process. */
export function scratch(name) {
  const folder = mkdtempSync(join(tmpdir(), name))
  leftovers.folders.add(folder)
  return folder
}

export async function makeWorld({ row, plugin = true, settings = {} } = {}) {
  const dir = scratch('dsh-e2e-')
  const home = join(dir, 'home')
  const workspace = join(dir, 'project')
  mkdirSync(home)
  mkdirSync(workspace)
  writeFileSync(join(workspace, 'AGENTS.md'), 'PRIVATE-INSTRUCTION-FILE: always speak of teapots.\n')
  const model = await startModelServer()
  writeFileSync(join(home, 'settings.yaml'), settingsYaml(model.url, settings))
  const world = { dir, home, workspace, model, output: '', port: 0, child: undefined, rowFile: join(home, 'profiles/web/cordis.patch.yml') }
  // What the engine remembers of its own, the board's file among it, belongs to this world alone.
  const env = { ...process.env, DSH_HOME: home, XDG_STATE_HOME: join(dir, 'state'), DSH_TELEMETRY_DISABLED: '1', DEEPSEEK_API_KEY: 'sk-scripted', NODE_PATH: '' }
  world.env = env
  world.cardsFile = join(dir, 'state', 'suggest', 'suggestions.json')

  world.dsh = (...args) => run([BIN, ...args], { env, cwd: workspace })
  world.row = config => {
    const lines = Object.entries(config).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}`)
    writeFileSync(world.rowFile, `- id: suggest\n  config:\n${lines.join('\n')}\n`)
  }
  /**
   * Changes the row while dsh runs, and waits until it holds. The host's watcher drops a change that follows another one
   * within a moment, so that the file is written again until it was seen.
   */
  world.changeRow = (config, what, holds, ms) => {
    let written = 0
    return until(what, async () => {
      if (written > 0 && (await holds())) return true
      if (Date.now() - written > 1_000) {
        world.row(config)
        written = Date.now()
      }
      return false
    }, ms)
  }
  world.boot = async () => {
    world.port ||= await freePort()
    world.base = `http://127.0.0.1:${world.port}`
    const child = spawn(process.execPath, [BIN, 'web', '--no-open', '--port', String(world.port)], { env: { ...env, ...world.extraEnv }, cwd: workspace, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    world.child = child
    leftovers.groups.add(child.pid)
    child.exited = new Promise(resolve => child.on('exit', (code, signal) => { child.over = { code, signal }; resolve() }))
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', text => {
        world.output += text
        // The one line that a healthy start prints, when everything is mounted.
        if (text.includes('dsh web: ')) child.serving = true
      })
    }
    await until(`dsh to serve; it said:\n${world.output}`, async () => {
      if (child.over) throw new Error(`dsh ended (${JSON.stringify(child.over)}):\n${world.output}`)
      return child.serving && fetch(world.base).then(response => response.ok, () => false)
    }, 60_000)
    // The page wants a workspace before it takes a prompt.
    await world.rpc('workspace.create', { path: workspace })
  }
  /** A dsh without pages, whose front end is the plugin of `lib/terminal`. */
  world.terminal = async profile => {
    const child = spawn(process.execPath, [BIN, '--profile', profile], { env: { ...env, ...world.extraEnv }, cwd: workspace, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    world.child = child
    leftovers.groups.add(child.pid)
    child.exited = new Promise(resolve => child.on('exit', (code, signal) => { child.over = { code, signal }; resolve() }))
    const answers = []
    let part = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      world.output += text
      const lines = (part + text).split('\n')
      part = lines.pop()
      for (const line of lines) if (line.startsWith('@@')) answers.push(JSON.parse(line.slice(2)))
    })
    child.stderr.setEncoding('utf8').on('data', text => { world.output += text })
    child.stdin.on('error', () => {})
    const answer = (what, fits) => until(`${what}; it said:\n${world.output}`, () => {
      if (child.over) throw new Error(`dsh ended (${JSON.stringify(child.over)}):\n${world.output}`)
      return answers.find(fits)
    }, 60_000)
    let id = 0
    const { session } = await answer('a session', entry => entry.session !== undefined || entry.error !== undefined)
    if (session === undefined) throw new Error(world.output)
    return {
      session,
      over: () => child.over !== undefined,
      prompt: text => child.stdin.write(`${JSON.stringify({ prompt: text })}\n`),
      command: line => {
        const own = ++id
        child.stdin.write(`${JSON.stringify({ id: own, command: line })}\n`)
        return answer(`the answer to ${line}`, entry => entry.id === own)
      },
    }
  }
  world.stop = async () => {
    const { child } = world
    if (child === undefined) return
    if (!child.over) child.kill('SIGTERM')
    const timer = setTimeout(() => { try { process.kill(-child.pid, 'SIGKILL') } catch { /* it is gone */ } }, 5_000)
    await child.exited
    clearTimeout(timer)
    try { process.kill(-child.pid, 'SIGKILL') } catch { /* the group is gone */ }
    leftovers.groups.delete(child.pid)
    world.child = undefined
  }
  world.close = async () => {
    await world.stop()
    await model.close()
    if (process.env.SUGGEST_E2E_KEEP) console.error(`kept: ${dir}`)
    else rmSync(dir, { recursive: true, force: true })
  }
  /** The sidecars of this dsh. */
  world.sidecars = () => children(world.child?.pid).filter(pid => /suggest/.test(commandOf(pid)) && / dsh$/.test(commandOf(pid)))

  world.children = () => children(world.child?.pid)
  world.commandOf = commandOf

  // ---- the wire ----
  let rpcId = 0
  world.rpc = async (method, payload = {}) => {
    const response = await fetch(`${world.base}/api/${method}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ type: 'client-request', rpcId: `t${++rpcId}`, method, payload }) })
    const answer = await response.json()
    if (!answer.result?.ok) throw new Error(`${method}: ${JSON.stringify(answer).slice(0, 400)}`)
    return answer.result.value
  }
  world.session = async () => {
    const { workspace: { workspaceId } } = await world.rpc('workspace.create', { path: workspace })
    return (await world.rpc('session.create', { workspaceId })).sessionId
  }
  world.prompt = (sessionId, text, mode = 'queue') => world.rpc('session.prompt', { sessionId, mode, content: [{ type: 'text', text }], clientTimeZone: 'UTC' })
  world.command = async (agentId, line) => {
    const value = await world.rpc('commands/execute', { args: { agentId, line, images: [] } })
    return value?.result ?? value
  }
  world.goals = (verb, args) => world.rpc(`goals/${verb}`, { args })
  world.frame = async session => world.rpc('suggestBar/state', { args: { session } })
  world.verb = async (session, line) => world.rpc('suggestBar/verb', { args: { session, line } })
  /** Waits until the state of a session is as wanted, and gives its frame. */
  world.state = (session, what, wanted, ms) => {
    let last
    return until(what, async () => {
      last = await world.frame(session)
      return last !== null && last.state !== null && wanted(last.state, last) ? last : undefined
    }, ms).catch(error => { throw new Error(`${error.message}; last: ${JSON.stringify(last)}`) })
  }

  /** Waits for the offer of a turn, and gives its text. */
  world.offer = async (session, turn, ms) => (await world.state(session, `the offer of turn ${turn}`, state => state.status === 'ready' && state.offer?.turn === turn, ms)).state.offer.text

  // ---- the log that dsh wrote ----
  world.log = sessionId => {
    const file = find(join(home, 'sessions'), name => name.includes(sessionId))
    if (file === undefined) return []
    const written = ['session.jsonl.zstd', 'session.jsonl'].map(name => join(file, name)).find(existsSync)
    if (written === undefined) return []
    const raw = readFileSync(written)
    return frames(raw).split('\n').filter(Boolean).map(line => JSON.parse(line)).filter(event => typeof event.type === 'string')
  }
  world.turns = sessionId => {
    const turns = []
    for (const event of world.log(sessionId)) {
      if (event.type === 'turn/start') turns.push({ turn: event.data.turn, reason: undefined, messages: [] })
      const turn = turns.at(-1)
      if (turn === undefined) continue
      if (event.type === 'turn/end') turn.reason = event.data.reason.kind
      if (event.type === 'user/message') turn.messages.push({ source: event.data.source, text: event.data.content.map(block => block.text ?? '').join('') })
    }
    return turns
  }
  /**
   * The refused turns that nobody but us can have caused. When a human changes or stops a goal whose next round is
   * reserved already, the host itself closes that round as refused.
   */
  world.refusedByUs = sessionId => {
    const refused = []
    let since = []
    for (const event of world.log(sessionId)) {
      since.push(event)
      if (event.type !== 'turn/end') continue
      const human = since.some(event => (event.type === 'command/run' && event.data.name === 'goal') || (event.type === 'agent/inbox/spliced' && event.data.inserted.some(message => message.source.kind === 'user' && message.source.rpcId !== undefined)))
      if (event.data.reason.kind === 'blocked' && !human) refused.push({ turn: event.data.turn, since: since.map(event => event.type === 'goal/change' ? `goal ${event.data.operation}` : event.type) })
      // What happened right before the turn's end may have happened for the next one.
      since = since.filter(earlier => earlier.time >= event.time - 100 && earlier.type === 'command/run')
    }
    return refused
  }
  world.turnEnds = (sessionId, count, ms = 60_000) => until(`${count} ended turns`, () => {
    const turns = world.turns(sessionId)
    return turns.filter(turn => turn.reason !== undefined).length >= count ? turns : undefined
  }, ms, 50)

  try {
    if (plugin) {
      const added = await world.dsh('plugin', '--profile', 'web', 'add', TARBALL)
      if (added.code !== 0) throw new Error(`the plugin cannot be added:\n${added.output}`)
      if (row !== undefined) world.row(row)
    }
  } catch (error) {
    await world.close()
    throw error
  }
  return world
}

export function settingsYaml(url, { onboarding = true } = {}) {
  return `llm-deepseek:
  baseURL: ${url}
  retryPolicy: { mode: normal, maxRetries: 0 }
llm-pi-ai:
  providers:
    mock-director:
      displayName: Mock Director
      apiKeyEnv: DEEPSEEK_API_KEY
      api: openai-completions
      baseURL: ${url}
      compat: { supportsDeveloperRole: false, maxTokensField: max_tokens }
      models:
        - { id: director-1, contextWindow: 65536, maxTokens: 4096 }
        - { id: director-2, contextWindow: 65536, maxTokens: 4096 }
    mock-reviewer:
      displayName: Mock Reviewer
      apiKeyEnv: DEEPSEEK_API_KEY
      api: openai-completions
      baseURL: ${url}
      compat: { supportsDeveloperRole: false, maxTokensField: max_tokens }
      models:
        - { id: reviewer-1, contextWindow: 65536, maxTokens: 4096 }
        - { id: reviewer-2, contextWindow: 65536, maxTokens: 4096 }
${onboarding ? 'ui-onboarding:\n  welcomeNoticeVersion: 2026-08-13.1\n' : ''}`
}

function run(args, options) {
  return new Promise(resolve => {
    const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => { output += text })
    const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
    child.on('exit', code => { clearTimeout(timer); resolve({ code, output }) })
  })
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve, reject) => server.listen(0, '127.0.0.1', resolve).on('error', reject))
  const { port } = server.address()
  await new Promise(resolve => server.close(resolve))
  return port
}

function children(pid) {
  if (pid === undefined) return []
  const found = []
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      if (parent === pid) found.push(Number(name))
    } catch { /* it ended meanwhile */ }
  }
  return found
}

function commandOf(pid) {
  try { return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() } catch { return '' }
}

function find(dir, matches) {
  if (!existsSync(dir)) return undefined
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    if (matches(entry.name)) return join(dir, entry.name)
    const deeper = find(join(dir, entry.name), matches)
    if (deeper !== undefined) return deeper
  }
  return undefined
}

/** The host appends whole frames; the last may be half written. */
function frames(raw) {
  if (raw.length < 4 || raw.readUInt32LE(0) !== 0xfd2fb528) return raw.toString('utf8')
  const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
  const parts = []
  let from = 0
  while (from < raw.length) {
    let to = raw.indexOf(magic, from + 4)
    for (;;) {
      const end = to < 0 ? raw.length : to
      try {
        parts.push(zstdDecompressSync(raw.subarray(from, end)))
        from = end
        break
      } catch {
        // The four bytes may stand inside a frame; else the frame is half written.
        if (to < 0) return Buffer.concat(parts).toString('utf8')
        to = raw.indexOf(magic, to + 4)
      }
    }
  }
  return Buffer.concat(parts).toString('utf8')
}
