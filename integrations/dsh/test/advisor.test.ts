import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { DEFAULTS } from '../src/common/advisor.ts'
import { RowFiles } from '../src/host/row.ts'
import { completions, SECTION_FIELDS } from '../src/host/terminal.ts'
import { apply } from '../src/index.ts'
import { ScriptedHost } from './scripted-host.ts'
import { problems, protocol } from './schema.ts'

const BINARY = fileURLToPath(new URL('./fake-sidecar.mjs', import.meta.url))
const PAIR = { provider: 'p', model: 'm' }

let host: ScriptedHost
let dir: string
let number = 0
const unhandled: unknown[] = []
process.on('unhandledRejection', error => unhandled.push(error))

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dsh-suggest-advisor-'))
  number++
  process.env['FAKE_SIDECAR_LOG'] = join(dir, 'log')
})

afterEach(() => {
  for (const { method, params } of told()) assert.deepEqual(problems(protocol.methods[method]?.params, params), [], method)
  host?.dispose()
  delete process.env['FAKE_SIDECAR_LOG']
  // The sidecar may still write its last lines.
  rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  assert.deepEqual(unhandled.splice(0), [], 'nothing escapes the plugin')
})

const told = (): { method: string; params: Record<string, any> }[] =>
  existsSync(join(dir, 'log')) ? readFileSync(join(dir, 'log'), 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line)) : []

const profile = (): string => join(dir, 'home/profiles/web')

async function started(config: Record<string, unknown> = {}, { web = true, file = undefined as string | undefined } = {}): Promise<{ id: string; agent: ReturnType<ScriptedHost['agent']> }> {
  host = new ScriptedHost({ web })
  mkdirSync(profile(), { recursive: true })
  if (file !== undefined) writeFileSync(join(profile(), 'cordis.patch.yml'), file)
  Object.assign(host.ctx, { baseUrl: pathToFileURL(`${profile()}/`).href, fiber: { entry: { options: { id: 'suggest' } } } })
  apply(host.ctx, { binary: BINARY, ...config })
  const agent = host.agent(`advisor-${number}`)
  if (web) await host.until('the link', () => host.frame(agent.id)?.link.kind === 'linked' && host.frame(agent.id)?.state)
  return { id: agent.id, agent }
}

const patch = (): string => readFileSync(join(profile(), 'cordis.patch.yml'), 'utf8')
const rowOf = (text: string): Record<string, any> => parse(text).findLast((entry: { id?: string }) => entry.id === 'suggest').config

test('a row that changes while dsh runs reaches the sidecar, and nothing is mounted anew', async () => {
  const { id } = await started()
  const pid = told().length
  assert.ok(pid > 0)
  assert.equal(host.update({ binary: BINARY, advisor: PAIR }), false)
  await host.until('the new row', () => told().some(entry => entry.method === 'config' && entry.params['config'].advisor?.model === 'm'))
  await host.until('the pair in the session', () => host.frame(id)?.state?.['advisor']?.model?.id === 'p/m')
  assert.equal(told().filter(entry => entry.method === 'hello').length, 1)
  assert.equal(told().find(entry => entry.method === 'config')?.params['config'].binary, undefined, 'the plugin reads its own keys itself')

  host.update({ binary: BINARY, promptContextChars: 1 })
  await host.until('off with the reason', () => host.frame(id)?.link.kind === 'off' && host.frame(id)?.link.message?.includes('promptContextChars'))
  host.update({ binary: BINARY, promptMaxRounds: 5 })
  await host.until('mended', () => host.frame(id)?.link.kind === 'linked')

  host.update({ binary: BINARY, logLevel: 'loud' })
  assert.match(host.frame(id)?.link.message ?? '', /logLevel/)
  assert.equal((await host.command(id, 'run')).kind, 'error')
  host.update({ binary: BINARY })
  await host.until('started again', () => host.frame(id)?.link.kind === 'linked')

  const other = join(dir, 'other.mjs')
  writeFileSync(other, readFileSync(BINARY), { mode: 0o755 })
  host.update({ binary: other })
  await host.until('the other binary', () => told().filter(entry => entry.method === 'hello').length === 3 && host.frame(id)?.link.kind === 'linked')
})

test('the settings show what is in force and what the host has', async () => {
  await started({ advisor: { ...PAIR, immuneTurns: 7, enabled: true, maxTokens: 5 } })
  const settings = await host.settings('get')
  assert.deepEqual(settings.config, { provider: 'p', model: 'm', systemPrompt: '', immuneTurns: 7, maxDeltaMessages: 60, proseFallback: false, reasoningEffort: '', nextPrompt: true, defaultEnabled: true })
  assert.deepEqual(settings.providers, [{ id: 'p', name: 'Provider P', models: [{ id: 'm', name: 'Model M' }, { id: 'better', name: 'better' }] }, { id: 'slow', name: 'slow', models: [] }])
  assert.equal(settings.problem, null)
  assert.equal(settings.readonly, null)
  assert.deepEqual(await host.settings('efforts', 'p', 'm'), ['off', 'high'])
  assert.deepEqual(await host.settings('efforts', 'p', ''), [])
})

test('a save changes the row in its file, leaves everything else, and holds at once', async () => {
  const file = `# my patches\n- id: other\n  config: { a: !!js process.env.A }\n- id: suggest # the advisor\n  config:\n    binary: ${BINARY}\n    promptMaxRounds: 4 # few\n    advisor:\n      provider: p # who\n      model: m\n      maxTokens: 5\n`
  const { id } = await started({ promptMaxRounds: 4, advisor: { ...PAIR, maxTokens: 5 } }, { file })
  const { config, revision } = await host.settings('get')
  const saved = await host.settings('set', { ...config, model: 'better', systemPrompt: 'Be strict.\nBe brief.', nextPrompt: false }, revision)
  assert.equal(saved.saved, true, JSON.stringify(saved))
  assert.equal(saved.settings.config.model, 'better')
  const text = patch()
  for (const kept of ['# my patches', '!!js process.env.A', '# the advisor', '# few', '# who']) assert.ok(text.includes(kept), `${kept} is kept:\n${text}`)
  assert.deepEqual(rowOf(text), { binary: BINARY, promptMaxRounds: 4, advisor: { provider: 'p', model: 'better', systemPrompt: 'Be strict.\nBe brief.', nextPrompt: false } })
  await host.until('the row at the sidecar', () => told().some(entry => entry.method === 'config' && entry.params['config'].advisor.model === 'better' && entry.params['config'].promptMaxRounds === 4))
  await host.until('the session', () => host.frame(id)?.state?.['advisor']?.model?.id === 'p/better')
  const stale = await host.settings('set', config, revision)
  assert.deepEqual([stale.saved, stale.code], [false, 'changed'])
})

test('a save where no file has the row adds it to the profile\'s, with what was in force', async () => {
  await started({ promptMaxRounds: 4 }, { file: '# the template\n[]\n' })
  const { config, revision } = await host.settings('get')
  assert.match((await host.settings('get')).problem, /provider and model/)
  const saved = await host.settings('set', { ...config, ...PAIR }, revision)
  assert.equal(saved.saved, true, JSON.stringify(saved))
  assert.deepEqual(rowOf(patch()), { promptMaxRounds: 4, binary: BINARY, advisor: PAIR })
  assert.ok(patch().startsWith('# the template'))
  assert.equal(statSync(join(profile(), 'cordis.patch.yml')).mode & 0o777, 0o644, 'the file keeps its mode')
})

test('what is not right is not saved, and says why', async () => {
  await started({ advisor: PAIR }, { file: '[]\n' })
  const { config, revision } = await host.settings('get')
  for (const [change, code] of [
    [{ model: '' }, 'incomplete'],
    [{ provider: 'nobody' }, 'unknown-provider'],
    [{ immuneTurns: 'many' }, 'bad-argument'],
    [{ modle: 'x' }, 'bad-argument'],
    [{ toString: 'x' }, 'bad-argument'],
  ] as const) {
    const answer = await host.settings('set', { ...config, ...change }, revision)
    assert.deepEqual([answer.saved, answer.code], [false, code], JSON.stringify(change))
  }
  assert.equal((await host.settings('set', 'x', revision)).code, 'bad-argument')
  assert.equal(patch(), '[]\n')
  assert.equal(told().some(entry => entry.method === 'config'), false)
})

test('a row that an overlay or another file decides is not saved over, and a broken file is left alone', async () => {
  await started({ advisor: PAIR }, { file: '- id: suggest\n  config: { advisor: { provider: p, model: other } }\n' })
  const first = await host.settings('get')
  assert.match((await host.settings('set', { ...first.config, model: 'better' }, first.revision)).reason, /overlay/)
  writeFileSync(join(profile(), 'cordis.patch.yml'), '- id: [\n')
  assert.match((await host.settings('set', { ...first.config, model: 'better' }, first.revision)).reason, /cannot be read/)
  assert.equal(patch(), '- id: [\n')
  writeFileSync(join(profile(), 'cordis.patch.yml'), '[]\n')
  // The home's own layer has the last word.
  writeFileSync(join(dir, 'home/cordis.patch.yml'), `- id: suggest\n  config: { binary: ${BINARY}, advisor: { provider: p, model: m } }\n`)
  assert.equal((await host.settings('set', { ...first.config, model: 'better' }, first.revision)).saved, true)
  assert.equal(patch(), '[]\n')
  assert.equal(rowOf(readFileSync(join(dir, 'home/cordis.patch.yml'), 'utf8'))['advisor'].model, 'better')
})

/** What a save of another model leaves in a file, or why nothing was saved. */
async function savedTo(text: string | Buffer | undefined, row: Record<string, unknown> = { advisor: PAIR }): Promise<{ text: string; refused: string | undefined }> {
  mkdirSync(profile(), { recursive: true })
  const file = join(profile(), 'cordis.patch.yml')
  if (text !== undefined) writeFileSync(file, text)
  const files = new RowFiles({ baseUrl: pathToFileURL(`${profile()}/`).href } as never)
  const refused = await files.save(row, { ...DEFAULTS, ...PAIR, model: 'better' }).then(() => undefined, (error: Error) => error.message)
  if (refused !== undefined && text !== undefined) assert.deepEqual(readFileSync(file), Buffer.from(text as string), 'what is refused changes nothing')
  assert.deepEqual(readdirSync(profile()).filter(name => name.endsWith('.tmp')), [])
  return { text: existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : '', refused }
}

test('a save that would change or lose anything else in the file is refused', async () => {
  const row = '- id: suggest\n  config:\n    advisor:\n      provider: p\n      model: '
  for (const [text, reason] of [
    // A value of this row that another row names, and one row's whole section.
    [`${row}&m m\n- id: other\n  config: { model: *m }\n`, /else is in it/],
    ['- id: suggest\n  config: &c\n    advisor: { provider: p, model: m }\n- id: other\n  config: *c\n', /else is in it/],
    // dsh reads neither, but somebody wrote them.
    [`${row}m\n---\n- id: second\n`, /MULTIPLE_DOCS/],
    [Buffer.concat([Buffer.from(`${row}m\n- id: other # caf`), Buffer.from([0xe9, 0x0a])]), /not UTF-8/],
    [`${row}m\n# ${'x'.repeat(1024 * 1024)}\n`, /too large/],
    ['- id: suggest\n  config: { advisor: { provider: p, provider: q } }\n', /DUPLICATE_KEY/],
    ['hello\n', /no list/],
  ] as const) {
    const { refused } = await savedTo(text)
    assert.match(refused ?? 'saved', reason, text.toString().slice(0, 200))
  }
})

test('a save keeps the comments around an empty section, line ends, the byte order mark and shared values of others', async () => {
  const empty = await savedTo('- id: suggest\n  config:\n    # before\n    advisor: # todo\n      # deep\n    # after\n- id: z\n', { advisor: null })
  assert.equal(empty.refused, undefined)
  for (const kept of ['# before', '# todo', '# deep', '# after']) assert.ok(empty.text.includes(kept), `${kept}:\n${empty.text}`)
  assert.equal(rowOf(empty.text)['advisor'].model, 'better')
  const windows = await savedTo('\ufeff- id: other # a\r\n  config: { a: 1 }\r\n- id: suggest\r\n  config: { advisor: { provider: p, model: m } }\r\n')
  assert.equal(windows.refused, undefined)
  assert.equal(windows.text, '\ufeff- id: other # a\r\n  config: { a: 1 }\r\n- id: suggest\r\n  config: { advisor: { provider: p, model: better } }\r\n')
  const shared = await savedTo('- id: other\n  config: { who: &p p, "odd: key": !!js process.env.A }\n- id: suggest\n  config: { advisor: { provider: *p, model: m } }\n')
  assert.equal(shared.text, '- id: other\n  config: { who: &p p, "odd: key": !!js process.env.A }\n- id: suggest\n  config: { advisor: { provider: *p, model: better } }\n')
})

test('a save writes through a link, and never over a read-only file, a pipe or a link that leads nowhere', async () => {
  mkdirSync(profile(), { recursive: true })
  const file = join(profile(), 'cordis.patch.yml')
  const row = '- id: suggest\n  config: { advisor: { provider: p, model: m } }\n'
  symlinkSync('nowhere.yml', file)
  assert.match((await savedTo(undefined)).refused ?? '', /leads nowhere/)
  writeFileSync(join(profile(), 'nowhere.yml'), row, { mode: 0o600 })
  assert.match((await savedTo(undefined)).text, /better/)
  assert.ok(lstatSync(file).isSymbolicLink())
  assert.equal(statSync(file).mode & 0o777, 0o600)
  rmSync(file)
  writeFileSync(file, row)
  chmodSync(file, 0o444)
  assert.match((await savedTo(undefined)).refused ?? '', /read-only/)
  assert.equal(patch(), row)
  rmSync(file)
  execFileSync('mkfifo', [file])
  assert.match((await savedTo(undefined)).refused ?? '', /is no file/)
  rmSync(file)
  mkdirSync(file)
  assert.match((await savedTo(undefined)).refused ?? '', /is no file/)
})

test('what a person writes while the engine looks at a row is not undone by it', async () => {
  const file = `- id: suggest\n  config: { binary: ${BINARY}, advisor: { provider: p, model: m } }\n`
  await started({ advisor: PAIR }, { file })
  const { config, revision } = await host.settings('get')
  const saving = host.settings('set', { ...config, model: 'better' }, revision)
  const mine = file.replace('model: m', 'model: mine')
  writeFileSync(join(profile(), 'cordis.patch.yml'), mine)
  host.update({ binary: BINARY, advisor: { provider: 'p', model: 'mine' } })
  const answer = await saving
  assert.deepEqual([answer.saved, answer.code], [false, 'changed'])
  assert.equal(patch(), mine)
})

test('the calls of a session pin and unpin its model and never touch the row', async () => {
  const { id } = await started({ advisor: PAIR }, { file: '[]\n' })
  await host.command(id, 'status', 'advisor')
  assert.deepEqual(await host.settings('getSession', id), { session: id, status: 'idle', reason: null, pair: PAIR, source: 'global default', trying: null, refused: null, lifetime: 'live session' })
  const pinned = await host.settings('setSessionModel', id, 'p', 'better')
  assert.deepEqual([pinned.ok, pinned.session.pair, pinned.session.source], [true, { provider: 'p', model: 'better' }, 'session override'])
  const gone = await host.settings('setSessionModel', id, 'p', 'gone')
  assert.equal(gone.ok, false)
  assert.match(gone.text, /was not pinned/)
  assert.equal((await host.settings('setSessionModel', id, 'p', '')).ok, false, 'half a pair pins nothing')
  assert.equal((await host.settings('setSessionModel', id, 'p p', 'x')).ok, false)
  const back = await host.settings('setSessionModel', id, '', '')
  assert.deepEqual([back.ok, back.session.source], [true, 'global default'])
  assert.equal(patch(), '[]\n')
  assert.equal(await host.settings('getSession', 'nobody'), null)
})

test('without a page the advisor runs where the row names its pair, or when somebody speaks to it (D12)', async () => {
  const { id, agent } = await started({ advisor: PAIR }, { web: false })
  await host.until('the session', () => told().some(entry => entry.method === 'session/ready'))
  const open = told().find(entry => entry.method === 'session/open')
  assert.deepEqual([open?.params['web'], open?.params['advisorOnly']], [false, true])
  assert.match((await host.command(id, 'status', 'advisor')).text, /p\/m/)
  assert.match((await host.command(id, 'model p/m')).text, /web profile/)
  agent.human('hello')
  const child = host.agent(`${id}-child`, { origin: 'subagent' })
  assert.match((await host.command(child.id, 'status', 'advisor')).text, /only top-level sessions/)
  host.dispose()

  process.env['FAKE_SIDECAR_LOG'] = join(dir, 'second')
  const second = await started({}, { web: false })
  assert.match((await host.command(second.id, 'model p/m')).text, /web profile/)
  assert.equal(existsSync(join(dir, 'second')), false, 'nobody asked for it: no process')
  assert.equal((await host.command(second.id, 'model set p better', 'advisor')).kind, 'success')
  assert.match(readFileSync(join(dir, 'second'), 'utf8'), /"hello"/)
})

test('where the host runs one task and ends, the row alone starts nothing (D12)', async () => {
  host = new ScriptedHost({ web: false })
  host.services.set('headlessStartup', { task: 'x' })
  apply(host.ctx, { binary: BINARY, advisor: PAIR })
  const agent = host.agent(`advisor-${number}`)
  agent.human('hello')
  agent.end()
  assert.deepEqual(told(), [])
})

test('a note that waits to be read keeps no round away, and is not counted as waiting (V4, A4)', async () => {
  const { id, agent } = await started()
  agent.human('hello')
  agent.end()
  const note = { id: 'n', role: 'user' as const, content: [{ type: 'text' as const, text: '[advisor:nit] x' }], source: { kind: 'plugin', plugin: 'advisor' } }
  agent.inbox.nextStep.push(note)
  agent.set('running')
  agent.set('idle')
  await host.until('the status', () => told().filter(entry => entry.method === 'session/status').at(-1)?.params['status'] === 'idle')
  assert.deepEqual(told().filter(entry => entry.method === 'session/status').at(-1)?.params['inbox'], { human: 0, other: 0 })
  const submit = async (): Promise<{ accepted: boolean; reason?: string }> =>
    JSON.parse((await host.command(id, `ask submit ${JSON.stringify({ session: id, ticket: 1, offer: 'o1', text: 'x', author: 'suggest', expect: { turn: 1, goal: null, humanEpoch: 1 } })}`)).text)
  agent.inbox.nextStep.push({ ...note, id: 'm', source: { kind: 'plugin', plugin: 'other' } })
  assert.equal((await submit()).reason, 'busy')
  agent.inbox.nextStep.pop()
  assert.equal((await submit()).accepted, true)
})

test('a page that comes up late gets its sessions with everything', async () => {
  const { id } = await started({ advisor: PAIR }, { web: false })
  await host.until('the session without a page', () => told().some(entry => entry.method === 'session/ready'))
  host.provide('webServer', { register: () => () => {} })
  await host.until('the session with a page', () => told().some(entry => entry.method === 'session/open' && entry.params['web'] === true && entry.params['session'] === id))
})

test('a terminal is offered the words of the command and a section of settings', async () => {
  assert.deepEqual(completions(['advisor']).map(word => word.name), ['on', 'off', 'status', 'config', 'model'])
  assert.deepEqual(completions(['advisor', 'model']).map(word => word.name), ['set', 'reset'])
  assert.deepEqual(completions(['advisor', 'status']), [])
  assert.deepEqual(completions(['suggest', 'cards']).map(word => word.name), ['accept', 'dismiss'])
  assert.deepEqual(completions(['suggest', 'autorun']).map(word => word.name), ['on', 'off', 'reset'])
  assert.deepEqual(completions(['unknown']), [])
  assert.deepEqual(SECTION_FIELDS.map(field => (field as { path: string[] }).path.join('.')), ['advisor.provider', 'advisor.model', 'advisor.immuneTurns', 'advisor.maxDeltaMessages', 'advisor.proseFallback', 'advisor.defaultEnabled', 'advisor.reasoningEffort'])
  await started()
  const registered: { root?: string; ns?: string }[] = []
  const taking = { register: (what: never) => { registered.push(what); return () => {} } }
  host.provide('tuiCommandTrees', taking)
  host.provide('tuiSettingsSections', taking)
  assert.deepEqual(registered.map(({ root, ns }) => root ?? ns), ['advisor', 'suggest', 'suggest'])
  host.provide('tuiCommandTrees', { register: () => { throw new Error('taken') } })
})
