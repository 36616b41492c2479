import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { apply } from '../src/index.ts'
import { ScriptedHost, ScriptedResponse } from './scripted-host.ts'
import { problems, protocol } from './schema.ts'

const BINARY = fileURLToPath(new URL('./fake-sidecar.mjs', import.meta.url))
const MODEL = 'p/m'

let host: ScriptedHost
let dir: string
let number = 0
const unhandled: unknown[] = []
process.on('unhandledRejection', error => unhandled.push(error))
process.on('uncaughtException', error => unhandled.push(error))

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dsh-suggest-test-'))
  number++
  process.env['FAKE_SIDECAR_LOG'] = join(dir, 'log')
})

afterEach(() => {
  // Whatever a test made the plugin say, the engine's own description of the protocol must allow it.
  for (const { method, params } of told()) {
    const described = protocol.methods[method]
    assert.equal(described?.from, 'plugin', `${method} is a message of the plugin`)
    assert.deepEqual(problems(described?.params, params), [], method)
  }
  host?.dispose()
  for (const name of ['FAKE_SIDECAR_DIE_AT', 'FAKE_SIDECAR_PROTOCOL', 'FAKE_SIDECAR_MODEL']) delete process.env[name]
  rmSync(dir, { recursive: true, force: true })
  assert.deepEqual(unhandled.splice(0), [], 'nothing escapes the plugin')
})

const told = (): { method: string; params: Record<string, any> }[] => {
  try {
    return readFileSync(join(dir, 'log'), 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line))
  } catch {
    return []
  }
}

async function started(config: Record<string, unknown> = {}, id = `s${number}`): Promise<{ id: string; agent: ReturnType<ScriptedHost['agent']> }> {
  host = new ScriptedHost()
  apply(host.ctx, { binary: BINARY, ...config })
  const agent = host.agent(id)
  await host.until('the link', () => host.frame(id)?.link.kind === 'linked' && host.frame(id)?.state !== null)
  return { id, agent }
}

const status = (id: string, wanted: string): Promise<unknown> => host.until(`status ${wanted}`, () => host.frame(id)?.state?.['status'] === wanted)

test('one command sets the model, and every turn brings an offer that a click runs as the human', async () => {
  const { id, agent } = await started()
  assert.equal(host.frame(id)?.state?.['status'], 'off')
  assert.deepEqual(await host.command(id, `model ${MODEL}`), { kind: 'success', text: `model: ${MODEL}` })
  agent.human('hello')
  agent.end()
  await status(id, 'ready')
  assert.equal((await host.verb(id, 'run o1')).code, 'ok')
  assert.deepEqual(agent.said.at(-1)?.source, { kind: 'user' })
  assert.equal(agent.said.at(-1)?.content[0]?.text, 'Write a test')
})

test('a round of the loop is authored by the producer, in the shape of the log format (A7)', async () => {
  const { id, agent } = await started()
  await host.command(id, `model ${MODEL}`)
  await host.command(id, 'autorun on')
  agent.human('hello')
  agent.end()
  await host.until('an offer', () => host.frame(id)?.state?.['offer'])
  agent.set('running')
  agent.set('idle')
  await host.until('the round', () => agent.said.length === 2)
  assert.deepEqual(agent.said[1]?.source, { kind: 'plugin', plugin: 'suggest', form: 'notice', summary: 'autorun: Write a test' })

  const newer = host.agent(`${id}-4`, { version: 4 })
  await host.until('the second session', () => host.frame(newer.id)?.state)
  await host.command(newer.id, `model ${MODEL}`)
  await host.command(newer.id, 'autorun on')
  newer.human('hello')
  newer.end()
  await host.until('an offer', () => host.frame(newer.id)?.state?.['offer'])
  newer.set('running')
  newer.set('idle')
  await host.until('the round', () => newer.said.length === 2)
  assert.deepEqual(newer.said[1]?.source, { kind: 'suggest', form: 'notice', summary: 'autorun: Write a test' })
})

test('subagents and headless sessions are never served, and headless starts no process (D12)', async () => {
  const { id } = await started()
  const child = host.agent(`${id}-child`, { origin: 'subagent' })
  assert.equal(host.frame(child.id), null)
  assert.match((await host.command(child.id, 'state')).text, /only top-level sessions/)
  host.dispose()

  host = new ScriptedHost({ web: false })
  apply(host.ctx, { binary: BINARY })
  const agent = host.agent(`${id}-headless`)
  agent.human('hello')
  agent.end()
  assert.equal(host.frame(agent.id), null)
  assert.match((await host.command(agent.id, 'model p/m')).text, /web profile/)
})

test('a missing binary leaves dsh running, with the reason in the bar and in every command', async () => {
  host = new ScriptedHost()
  apply(host.ctx, { binary: join(dir, 'nowhere') })
  const { id } = host.agent(`s${number}`)
  const frame = await host.until('the reason', () => host.frame(id)?.link.kind === 'unlinked' && host.frame(id))
  assert.match(frame.link.message ?? '', /does not exist/)
  assert.equal((await host.command(id, 'status')).kind, 'success')
  assert.match((await host.command(id, 'status')).text, /^unlinked: .*does not exist/)
  assert.match((await host.command(id, 'state')).text, /^status +unlinked\nreason +no-binary: /)
  assert.equal((await host.command(id, 'run')).kind, 'error')
})

test('a binary that cannot be executed, crashes at once, or is another program is no harm', async () => {
  const script = join(dir, 'script')
  for (const [text, code] of [['#!/nowhere\n', 'not-started'], ['#!/bin/sh\nexit 7\n', 'ended'], ['#!/bin/sh\ncat >/dev/null\n', undefined]] as const) {
    writeFileSync(script, text)
    chmodSync(script, 0o755)
    host = new ScriptedHost()
    apply(host.ctx, { binary: script })
    const { id } = host.agent(`s${number}-${code}`)
    if (code === undefined) assert.match((await host.command(id, 'run')).text, /^unlinked/)
    else await host.until(`code ${code}`, () => host.frame(id)?.link.code === code)
    host.dispose()
  }
})

test('another protocol version is refused with both versions named', async () => {
  process.env['FAKE_SIDECAR_PROTOCOL'] = '2'
  host = new ScriptedHost()
  apply(host.ctx, { binary: BINARY })
  const { id } = host.agent(`s${number}`)
  const frame = await host.until('the refusal', () => host.frame(id)?.link.code === 'protocol' && host.frame(id))
  assert.match(frame.link.message ?? '', /protocol 2.*1/)
})

test('a wrong configuration is an honest off: of the plugin\'s own keys and of the engine\'s', async () => {
  for (const [config, message] of [[{ binary: 7 }, /binary/], [{ logLevel: 'loud' }, /logLevel/], [{ binary: BINARY, promptContextChars: 1 }, /promptContextChars/], ['nonsense', /mapping/]] as const) {
    host = new ScriptedHost()
    apply(host.ctx, config)
    const { id } = host.agent(`s${number}-${message}`)
    const frame = await host.until('off', () => host.frame(id)?.link.kind === 'off' && host.frame(id))
    assert.match(frame.link.message ?? '', message)
    assert.match((await host.command(id, 'status')).text, message)
    assert.equal((await host.command(id, 'run')).kind, 'error')
    host.dispose()
  }
})

test('a sidecar that dies is started again, told the past, and the loop comes back disarmed (A1, A6)', async () => {
  process.env['FAKE_SIDECAR_MODEL'] = MODEL
  const { id, agent } = await started()
  await host.command(id, 'autorun on')
  agent.human('hello')
  agent.end()
  await host.until('an offer', () => host.frame(id)?.state?.['offer'])
  agent.set('running')
  agent.set('idle')
  await host.until('a round', () => host.frame(id)?.state?.['autorun'].rounds === 1)
  await host.command(id, 'die')
  await host.until('unlinked', () => host.frame(id)?.link.kind === 'unlinked')
  assert.match((await host.command(id, 'state')).text, /^status +unlinked/)
  await host.until('linked again', () => host.frame(id)?.link.kind === 'linked' && host.frame(id)?.state?.['autorun'].armed === false)
  assert.equal(host.frame(id)?.disarmedByRestart, true)
  await host.until('told again', () => told().filter(entry => entry.method === 'session/ready').length === 2)
  const opens = told().filter(entry => entry.method === 'session/open')
  assert.equal(opens.at(-1)?.params['spentRounds'], 1)
  assert.equal(opens.at(-1)?.params['nextOffer'], 2)
  assert.equal(opens.at(-1)?.params['resumed'], true)
  const past = told().filter(entry => entry.method === 'session/history').at(-1)?.params['events'] as { type: string; seq: number }[]
  assert.deepEqual(past.map(event => event.seq), agent.session.events.map(event => event.seq))
  await host.command(id, 'state')
  assert.equal(host.frame(id)?.disarmedByRestart, false, 'a human who acts has seen it')
})

test('a sidecar that dies at any message of the protocol is no harm', async () => {
  for (const method of ['hello', 'session/open', 'session/history', 'session/ready', 'session/event', 'session/status', 'session/inbox', 'session/goal', 'command']) {
    process.env['FAKE_SIDECAR_DIE_AT'] = method
    host = new ScriptedHost()
    apply(host.ctx, { binary: BINARY })
    const agent = host.agent(`s${number}-${method}`, {}, [{ type: 'turn/start', seq: 0, data: { turn: 1 } }, { type: 'turn/end', seq: 1, data: { turn: 1, reason: { kind: 'completed' } } }])
    const turn = async (): Promise<boolean> => {
      agent.human('hello')
      agent.end()
      host.emit('goal/changed', { agent })
      await host.command(agent.id, 'state')
      return host.frame(agent.id)?.link.kind === 'unlinked'
    }
    for (let tries = 0; !(await turn()) && tries < 200; tries++) await new Promise(resolve => setTimeout(resolve, 10))
    assert.equal(host.frame(agent.id)?.link.kind, 'unlinked', method)
    delete process.env['FAKE_SIDECAR_DIE_AT']
    await host.until(`${method}: linked again`, () => host.frame(agent.id)?.link.kind === 'linked' && host.frame(agent.id)?.state)
    host.dispose()
  }
})

test('garbage, half lines and huge lines of the sidecar are skipped', async () => {
  const { id } = await started()
  await host.command(id, 'garbage')
  await host.command(id, 'huge')
  assert.equal((await host.command(id, 'hello')).text, 'hello: off')
})

test('a goal is paused only for a human\'s arming, once (A2)', async () => {
  const { id, agent } = await started()
  const goal = { id: 'g', revision: 1, objective: 'ship', phase: 'active' as const, activation: 'armed' as const }
  host.goals.set(id, goal)
  host.emit('goal/changed', { agent })
  await host.command(id, `model ${MODEL}`)
  assert.match((await host.command(id, 'pause-unasked')).text, /"ok":false/)
  assert.deepEqual(host.pauses, [])
  await host.command(id, 'autorun on')
  assert.deepEqual(host.pauses, [{ id: 'g', revision: 1 }])
  assert.match((await host.command(id, 'pause-unasked')).text, /"ok":false/)
})

test('events reach the sidecar in the order of the log, and nothing is submitted while it is written', async () => {
  const { id, agent } = await started()
  await host.command(id, `model ${MODEL}`)
  // A listener that appends while an event is told, as the host's own plugins do a moment later.
  agent.session.events.push({ type: 'x/nested', seq: agent.session.events.length, data: {} })
  agent.append('x/outer', {})
  await host.until('both', () => told().filter(entry => entry.method === 'session/event' && String(entry.params['event'].type).startsWith('x/')).length === 2)
  const seqs = told().filter(entry => entry.method === 'session/event').map(entry => entry.params['event'].seq)
  assert.deepEqual(seqs, [...seqs].sort((a, b) => a - b))
})

test('a second mount waits for the first, and takes over when it goes', async () => {
  const { id } = await started()
  const routes = host.routes.size
  apply(host.ctx, { binary: BINARY })
  assert.equal(host.routes.size, routes)
  assert.equal(told().filter(entry => entry.method === 'hello').length, 1)
  // The first mount's own effects: its route, and itself.
  for (const dispose of host.disposers.splice(0, 2)) dispose()
  await host.until('a second hello', () => told().filter(entry => entry.method === 'hello').length === 2)
  assert.ok(id)
})

test('a text for the input goes only to the page whose click it answers (D13)', async () => {
  const { id } = await started()
  assert.match((await host.command(id, 'fill /compact')).text, /"ok":false/)
  assert.deepEqual(await host.verb(id, 'fill /compact'), { text: '{"ok":true}', code: 'ok', fill: '/compact' })
})

test('a text that a typed command brings is offered to the open pages, once (C8, D13)', async () => {
  const { id } = await started()
  const page = new ScriptedResponse()
  host.routes.get('/suggest/events')?.({ method: 'GET', headers: { host: 'localhost' }, on: () => {} }, page as never)
  assert.deepEqual(await host.command(id, 'fill Fix the parser'), { kind: 'success', text: '{"ok":true}' })
  const offered = [...page.text.matchAll(/event: fill\ndata: (.+)\n/g)].map(match => JSON.parse(match[1] ?? ''))
  assert.deepEqual(offered, [{ session: id, text: 'Fix the parser' }])
  // A page that comes later is told nothing of it.
  const late = new ScriptedResponse()
  host.routes.get('/suggest/events')?.({ method: 'GET', headers: { host: 'localhost' }, on: () => {} }, late as never)
  assert.doesNotMatch(late.text, /event: fill/)
})

test('between a turn and a queued one the host goes first: what is told waits, in its order, and whoever asks gets all of it', async () => {
  const { id, agent } = await started()
  agent.human('one')
  agent.human('two')
  agent.end()
  // A verb of the human is asked about the present.
  await host.command(id, 'status')
  const kinds = (): string[] => told().filter(entry => entry.params['session'] === id).map(entry => (entry.method === 'session/event' ? entry.params['event'].type : entry.method))
  await host.until('the command', () => kinds().includes('command'))
  const order = kinds()
  assert.ok(order.indexOf('turn/end') >= 0 && order.indexOf('turn/end') < order.lastIndexOf('turn/start') && order.lastIndexOf('turn/start') < order.indexOf('command'), order.join(' '))
  agent.human('three')
  agent.end()
  agent.end()
  const events = (): number[] => told().filter(entry => entry.method === 'session/event').map(entry => entry.params['event'].seq)
  await host.until('everything', () => events().length === agent.session.events.length)
  assert.deepEqual(events(), agent.session.events.map(event => event.seq))
  // The end of a turn that nothing follows is told at once.
  assert.equal(kinds().at(-1), 'session/status')
})

test('a taken command name is left alone, and the others work', async () => {
  host = new ScriptedHost()
  host.commands.set('chapters-prompt', { name: 'chapters-prompt', description: '', handler: async () => ({ kind: 'success', text: 'theirs' }) })
  apply(host.ctx, { binary: BINARY })
  const { id } = host.agent(`s${number}`)
  await host.until('the link', () => host.frame(id)?.state)
  assert.equal((await host.command(id, 'x', 'chapters-prompt')).text, 'theirs')
  assert.match((await host.command(id, 'status', 'advisor')).text, /^advisor/)
})

test('the event stream refuses foreign hosts and origins, and starts with what stands', async () => {
  const { id } = await started()
  const route = host.routes.get('/suggest/events')
  assert.ok(route)
  const open = (headers: Record<string, string>, method = 'GET'): ScriptedResponse => {
    const response = new ScriptedResponse()
    route({ method, headers, on: () => {} }, response as never)
    return response
  }
  const same = { host: '127.0.0.1:3000', 'sec-fetch-site': 'same-origin' }
  for (const headers of [
    {}, { host: 'evil.example' }, { host: '127.0.0.1.evil.example' }, { host: 'user@127.0.0.1' }, { ...same, 'sec-fetch-site': 'cross-site' }, { ...same, 'sec-fetch-site': 'same-site' }, { ...same, 'sec-fetch-site': 'none' },
    { ...same, origin: 'http://127.0.0.1:3001' }, { ...same, origin: 'http://evil.example' }, { ...same, origin: 'null' }, { ...same, host: '192.168.0.5:3000' },
  ]) assert.equal(open(headers).status, 403, JSON.stringify(headers))
  assert.equal(open(same, 'POST').status, 405)
  for (const headers of [same, { host: 'localhost:1' }, { host: '[::1]:3000' }, { ...same, origin: 'http://127.0.0.1:3000' }]) {
    const response = open(headers)
    assert.equal(response.status, 200, JSON.stringify(headers))
    assert.match(response.text, new RegExp(`event: begin[^]*"session":"${id}"[^]*event: synced`))
  }
  host.services.set('connection', { trustedHosts: ['harness.internal', '10.0.0.1:80'] })
  assert.equal(open({ host: 'harness.internal:8443' }).status, 200)
  assert.equal(open({ host: '10.0.0.1:81' }).status, 403)
})

test('a page that takes nothing gets the latest state of each session, not all of them', async () => {
  const { id } = await started()
  const response = new ScriptedResponse()
  host.routes.get('/suggest/events')?.({ method: 'GET', headers: { host: 'localhost' }, on: () => {} }, response as never)
  response.full = true
  await host.command(id, 'model p/one')
  await host.command(id, 'model p/two')
  await host.command(id, 'model p/three')
  await host.until('three', () => host.frame(id)?.state?.['model']?.id === 'p/three')
  assert.doesNotMatch(response.text, /p\/(two|three)/)
  response.full = false
  response.fire('drain')
  assert.match(response.text, /p\/three/)
  assert.doesNotMatch(response.text, /p\/two/)
})

test('model calls: failures come back by kind, a hanging one ends at its deadline, a flood is cut', async () => {
  const { id, agent } = await started()
  await host.command(id, `model ${MODEL}`)
  const fails = async (stream: typeof host.stream, kind: string): Promise<void> => {
    host.stream = stream
    agent.human('again')
    agent.end()
    await host.until(kind, () => host.frame(id)?.state?.['reason']?.code === kind, 8_000)
    assert.equal(host.frame(id)?.state?.['status'], 'failed')
  }
  const failure = (reason: { kind: string; failure?: object }) => async function* () { yield { type: 'finish', reason } }
  await fails(failure({ kind: 'error', failure: { code: 'NO_ADAPTER', message: 'x' } }), 'unknown-model')
  await fails(failure({ kind: 'error', failure: { code: 'INVALID_CREDENTIAL' } }), 'credentials')
  await fails(failure({ kind: 'error', failure: { code: 'PI_AI_ERROR', message: '401 bad key' } }), 'credentials')
  await fails(failure({ kind: 'error', failure: { code: 'SERVER', status: 503 } }), 'retry-later')
  await fails(failure({ kind: 'error', failure: { code: 'QUOTA', status: 429 } }), 'quota')
  await fails(failure({ kind: 'error', failure: { code: 'CONTENT_FILTER' } }), 'filtered')
  await fails(async function* () { throw Object.assign(new Error('boom'), { code: 'ECONNRESET' }) }, 'network')
  await fails(async function* () { yield { type: 'text-delta', text: 'half' } }, 'malformed')
  await fails(async function* () { for (;;) yield { type: 'text-delta', text: 'x'.repeat(100_000) } }, 'malformed')
  await fails(async function* () { await new Promise(() => {}) }, 'timeout')
})

test('fifty sessions that end their turns together all get their offers', async () => {
  const { id } = await started()
  const agents = Array.from({ length: 50 }, (_, at) => host.agent(`${id}-${at}`))
  await host.until('all told', () => agents.every(agent => host.frame(agent.id)?.state))
  await Promise.all(agents.map(agent => host.command(agent.id, `model ${MODEL}`)))
  for (const agent of agents) agent.human('hello')
  for (const agent of agents) agent.end()
  await host.until('all ready', () => agents.every(agent => host.frame(agent.id)?.state?.['status'] === 'ready'))
})

test('a huge tool output is told without its text', async () => {
  const { agent } = await started()
  agent.append('tool/result', { turn: 1, message: { role: 'user', content: [{ type: 'tool-result', toolCallId: 'c', content: [{ type: 'text', text: 'x'.repeat(1_000_000) }], isError: true }] } })
  const entry = await host.until('the result', () => told().find(entry => entry.method === 'session/event' && entry.params['event'].type === 'tool/result'))
  const block = entry.params['event'].data.message.content[0]
  assert.equal(block.isError, true)
  assert.equal(block.toolCallId, 'c')
  assert.ok(JSON.stringify(entry).length < 2_000)
})

test('the plugin answers every request of the engine as the protocol describes it', async () => {
  const { id, agent } = await started()
  const answers = new Map<string, unknown>()
  const stop = agent.session
  assert.ok(stop)
  const goal = { id: 'g', revision: 1, objective: 'ship', phase: 'paused' as const, activation: 'disarmed' as const }
  host.goals.set(id, goal)
  agent.human('hello')
  agent.end()
  const requests: Record<string, Record<string, unknown>> = {
    submit: { session: id, ticket: 1, offer: 'o1', text: 'x', author: 'suggest', expect: { turn: 99, goal: null, humanEpoch: 0 } },
    withdraw: { session: id, ticket: 1 },
    'goal/pause': { session: id, id: 'g', revision: 1 },
    inject: { session: id, text: 'x', summary: 'x' },
    steer: { session: id, text: 'x', summary: 'x' },
    'input/fill': { session: id, text: 'x' },
    'model/complete': { call: 1, session: id, provider: 'p', model: 'm', messages: [{ role: 'system', text: 's' }, { role: 'user', text: 'u' }], maxTokens: null, reasoningEffort: 'off', deadlineMs: 1000 },
    'model/info': { provider: 'p', model: 'm' },
  }
  for (const [method, params] of Object.entries(requests)) {
    assert.deepEqual(problems(protocol.methods[method]?.params, params), [], `${method}: the question itself`)
    answers.set(method, JSON.parse((await host.command(id, `ask ${method} ${JSON.stringify(params)}`)).text))
    assert.deepEqual(problems(protocol.methods[method]?.result, answers.get(method)), [], `${method}: ${JSON.stringify(answers.get(method))}`)
  }
  assert.deepEqual(Object.keys(requests).sort(), Object.entries(protocol.methods).filter(([, method]) => method.from === 'sidecar' && method.kind === 'request').map(([name]) => name).sort())
  assert.deepEqual(answers.get('submit'), { accepted: false, reason: 'stale-turn' })
  assert.deepEqual(answers.get('model/complete'), { text: 'NEXT: Write a test', finish: 'stop', reasoning: false, usage: { inputTokens: 15, cachedTokens: 5, outputTokens: 3 } })
  assert.deepEqual(answers.get('model/info'), { efforts: ['off', 'high'], defaultEffort: 'high' })
})

test('a submission of the loop is refused when anything it expects is not so, each with its reason (A3)', async () => {
  const { id, agent } = await started()
  agent.human('hello')
  agent.end()
  const submit = async (over: Record<string, unknown> = {}, expect: Record<string, unknown> = {}): Promise<{ accepted: boolean; reason?: string }> => {
    const params = { session: id, ticket: 1, offer: 'o1', text: 'x', author: 'suggest', ...over, expect: { turn: 1, goal: null, humanEpoch: 1, ...expect } }
    return JSON.parse((await host.command(id, `ask submit ${JSON.stringify(params)}`)).text)
  }
  assert.equal((await submit({}, { turn: 2 })).reason, 'stale-turn')
  assert.equal((await submit({}, { humanEpoch: 0 })).reason, 'human')
  assert.equal((await submit({}, { goal: { id: 'g', revision: 1 } })).reason, 'goal-moved')
  host.goals.set(id, { id: 'g', revision: 1, objective: 'x', phase: 'active', activation: 'armed' })
  assert.equal((await submit({}, { goal: { id: 'g', revision: 1 } })).reason, 'goal-owns')
  host.goals.set(id, { id: 'g', revision: 2, objective: 'x', phase: 'paused', activation: 'disarmed' })
  assert.equal((await submit({}, { goal: { id: 'g', revision: 1 } })).reason, 'goal-moved')
  host.goals.delete(id)
  agent.status = 'running'
  assert.equal((await submit()).reason, 'busy')
  assert.equal(agent.said.length, 1, 'nothing was submitted')
  assert.equal((await submit({ author: 'human' })).accepted, true, 'a click while the session is busy is queued (D11)')
  assert.equal(JSON.parse((await host.command(id, `ask withdraw ${JSON.stringify({ session: id, ticket: 1 })}`)).text).withdrawn, true)
  agent.status = 'idle'
  const accepted = await submit({ ticket: 2 }, { humanEpoch: 2 })
  assert.equal(accepted.accepted, true, JSON.stringify(accepted))
})

test('chapters of another plugin are told with the past and when they close, whatever shape they have', async () => {
  host = new ScriptedHost()
  const list: unknown[] = [{ number: 7, title: 'The parser', summary: 'reads lists' }, { number: 3, title: 'The lexer' }, { title: 'without a number' }, null, 'no chapter']
  host.ctx.on('suggest/chapters', ((session: string) => (session === `s${number}` ? list : undefined)) as never)
  apply(host.ctx, { binary: BINARY })
  const id = `s${number}`
  host.agent(id)
  host.agent(`${id}-other`)
  const chapters = (): Record<string, unknown>[] => told().filter(entry => entry.method === 'session/chapter').map(entry => entry.params)
  await host.until('the link', () => host.frame(id)?.link.kind === 'linked' && host.frame(id)?.state !== null)
  assert.deepEqual(chapters(), [
    { session: id, number: 3, title: 'The lexer', summary: '' },
    { session: id, number: 7, title: 'The parser', summary: 'reads lists' },
  ])
  for (const odd of [undefined, null, 7, { session: 'unknown', number: 1, title: 'x' }, { session: id, number: -1, title: 'x' }, { session: id, number: 1 }]) host.emit('suggest/chapter', odd)
  host.emit('suggest/chapter', { session: id, number: 9, title: 'The printer', summary: 'x'.repeat(10_000) })
  await host.until('the new one', () => chapters().length === 3)
  assert.equal(chapters()[2]?.['number'], 9)
  assert.equal(String(chapters()[2]?.['summary']).length, 4_000)
})

test('a chapters plugin that throws is no harm', async () => {
  host = new ScriptedHost()
  host.ctx.on('suggest/chapters', (() => { throw new Error('no chapters') }) as never)
  apply(host.ctx, { binary: BINARY })
  host.agent(`s${number}`)
  await host.until('the link', () => host.frame(`s${number}`)?.link.kind === 'linked' && host.frame(`s${number}`)?.state !== null)
})
