// Whatever breaks, dsh goes on, and the bar says it in one line.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bar, note, openBrowser, select, shot, shows } from '../lib/browser.mjs'
import { DIRECTOR } from '../lib/model-server.mjs'
import { until } from '../lib/wait.mjs'
import { makeWorld } from '../lib/world.mjs'

const SOAK = process.env.SUGGEST_E2E_SOAK === '1'
const PROXY = fileURLToPath(new URL('../lib/proxy.mjs', import.meta.url))

async function within(options, run) {
  const world = await makeWorld(options)
  try {
    await run(world)
    if (world.child !== undefined) assert.equal(world.child.over, undefined, `dsh ended:\n${world.output}`)
    assert.doesNotMatch(world.output, /unhandled|TypeError/i)
  } finally {
    await world.close()
  }
}

async function inPage(world, name, run) {
  const browser = await openBrowser()
  try {
    const page = await browser.open(world.base, name)
    await run(page, browser)
    assert.deepEqual(browser.problems, [])
  } finally {
    await browser.close()
  }
}

test('a sidecar that is killed comes back disarmed, says so, and never refills the budget (A1, A6)', () => within({ row: { promptModel: DIRECTOR, promptMaxRounds: 2 } }, async world => {
  await world.boot()
  const session = await world.session()
  await world.prompt(session, 'Start {{killed}}')
  const first = (await world.state(session, 'an offer', state => state.status === 'ready')).state.offer.id
  world.model.director = () => ({ text: `NEXT: Take step ${world.model.directorCalls().length} of the plan in PLAN.md`, delay: 300 })
  // The first round lasts, so that the sidecar dies within it on a fast machine too.
  world.model.workerDelay = 3_000
  await inPage(world, 'killed', async page => {
    await world.verb(session, 'autorun on')
    await world.state(session, 'a round spent', state => state.autorun.rounds === 1)
    const [pid] = world.sidecars()
    process.kill(pid, 'SIGSTOP')
    process.kill(pid, 'SIGKILL')
    await until('the bar to say it', async () => (await page.locator('[data-suggest="unlinked"]').count()) === 1 || (await note(page, 'restarted').count()) === 1)
    const back = await world.state(session, 'the session again', (state, frame) => frame.link.kind === 'linked' && frame.disarmedByRestart && state.autorun.rounds === 1 && !state.autorun.armed)
    assert.equal(back.state.autorun.max_rounds, 2)
    world.model.workerDelay = 0
    await note(page, 'restarted').waitFor()
    await shot(page, 'restarted')
    await until('the running turn to end', () => world.turns(session).every(turn => turn.reason !== undefined))
    const turns = world.turns(session).length
    await world.prompt(session, 'Go on')
    await world.turnEnds(session, turns + 1)
    const next = (await world.state(session, 'the next offer', state => state.status === 'ready')).state.offer.id
    assert.ok(Number(next.slice(1)) > Number(first.slice(1)), 'no id is used twice')
    await world.verb(session, 'autorun on')
    await world.state(session, 'the rest of the budget', state => state.autorun.rounds === 2 && !state.autorun.armed)
  })
  assert.equal(world.sidecars().length, 1)
}))

test('a sidecar that is killed at any message of the protocol, question or answer, costs at most that suggestion', () => within({ row: { promptModel: DIRECTOR, promptMaxRounds: 1000, binary: PROXY } }, async world => {
  const file = join(world.dir, 'kill-at')
  world.extraEnv = { SUGGEST_E2E_REAL_BIN: process.env.SUGGEST_BIN, SUGGEST_E2E_KILL_FILE: file }
  const messages = ['hello', 'answer hello', 'session/open', 'session/history', 'session/ready', 'session/event', 'session/inbox', 'session/status', 'session/goal', 'command', 'answer command', 'state', 'model/complete', 'answer model/complete', 'model/cancel', 'submit', 'answer submit', 'goal/pause', 'answer goal/pause']
  await world.boot()
  const session = await world.session()
  await world.state(session, 'linked', (_, frame) => frame.link.kind === 'linked')
  for (const message of messages) {
    if (process.env.SUGGEST_E2E_LOUD) console.error(message)
    writeFileSync(file, message)
    // The one that runs has read the file already: the next one dies at the message.
    for (const pid of world.sidecars().concat(proxies(world))) try { process.kill(pid, 'SIGKILL') } catch { /* it is gone */ }
    await until(`${message}: killed`, async () => {
      if (!existsSync(file)) return true
      const quiet = async () => {
        await world.verb(session, 'autorun off').catch(() => {})
        await until('an idle session', () => world.turns(session).every(turn => turn.reason !== undefined), 5_000).catch(() => {})
      }
      world.model.directorDelay = message === 'model/cancel' ? 300 : 0
      await world.verb(session, 'state')
      await world.prompt(session, 'a turn')
      await quiet()
      if (message.includes('goal')) await world.command(session, '/goal Reach it')
      await world.verb(session, 'autorun on')
      await world.verb(session, 'retry')
      if (message === 'model/cancel') await world.prompt(session, 'another turn')
      await quiet()
      await world.verb(session, 'run')
      if (message.includes('goal')) await world.command(session, '/goal clear').catch(() => {})
      await quiet()
      return !existsSync(file)
    }, 20_000)
    world.model.directorDelay = 0
    await until(`${message}: linked again`, async () => {
      // A human who asks shortens the pause before the next start.
      await world.verb(session, 'state').catch(() => {})
      return (await world.frame(session)).link.kind === 'linked' && !(await world.verb(session, 'status')).text.startsWith('unlinked')
    }, 40_000, 300)
    await until(`${message}: idle`, () => world.turns(session).every(turn => turn.reason !== undefined))
  }
  await world.command(session, '/goal clear').catch(() => {})
  await world.verb(session, 'autorun off')
  await until('an idle session', () => world.turns(session).every(turn => turn.reason !== undefined))
  await world.prompt(session, 'the last turn')
  await world.state(session, 'an offer after all of it', state => state.status === 'ready')
  assert.deepEqual(world.refusedByUs(session), [])
}))

test('a model that hangs, fails or floods costs a labelled failure and nothing else', () => within({ row: { promptModel: DIRECTOR, promptDeadlineMs: 1500 } }, async world => {
  await world.boot()
  const session = await world.session()
  let turn = 0
  for (const [name, answer, code] of [
    ['hangs', () => ({ hang: true }), 'timeout'],
    ['fails', () => ({ status: 500 }), 'retry-later'],
    ['is unknown', () => ({ status: 404, message: 'model not found' }), 'unknown-model'],
    ['floods', () => ({ flood: true }), 'malformed'],
    ['is cut', () => ({ text: 'NEXT: Wri', finish: 'length' }), undefined],
  ]) {
    world.model.director = answer
    await world.prompt(session, `a turn ${name}`)
    await world.turnEnds(session, ++turn, 5_000)
    const { state } = await world.state(session, name, state => state.status === 'failed', 20_000)
    if (code !== undefined) assert.equal(state.reason.code, code, name)
    assert.doesNotMatch(state.reason.message, /scripted|model not found/, 'no text of the provider')
  }
  await until('the hanging request to be let go', () => world.model.directorCalls()[0].aborted)
  world.model.director = () => ({ text: 'NEXT: Recover the parser in src/parse.rs' })
  await world.verb(session, 'retry')
  await world.state(session, 'recovered', state => state.status === 'ready')
}))

test('fifty sessions that end their turns in the same second all get one call and one offer', () => within({ row: { promptModel: DIRECTOR } }, async world => {
  await world.boot()
  const count = SOAK ? 200 : 50
  const sessions = []
  for (let n = 0; n < count; n++) sessions.push(await world.session())
  await Promise.all(sessions.map((session, n) => world.prompt(session, `Work on part ${n} {{part ${n}}}`)))
  await Promise.all(sessions.map(session => world.state(session, 'an offer', state => state.status === 'ready', 60_000)))
  assert.equal(world.model.directorCalls().length, count)
  assert.equal(new Set(world.model.directorCalls().map(call => call.messages.at(-1).text)).size, count, 'each slice is of its own session')
}))

test('a sidecar that stops answering is replaced', () => within({ row: { promptModel: DIRECTOR } }, async world => {
  await world.boot()
  const session = await world.session()
  await world.state(session, 'linked', (_, frame) => frame.link.kind === 'linked')
  const [pid] = world.sidecars()
  process.kill(pid, 'SIGSTOP')
  assert.equal((await world.verb(session, 'state')).code, 'unlinked')
  assert.equal((await world.verb(session, 'state')).code, 'unlinked')
  await until('another sidecar', () => world.sidecars().some(other => other !== pid))
  await world.prompt(session, 'Go on')
  await world.state(session, 'an offer', state => state.status === 'ready')
}))

test('a missing or broken binary and a wrong row leave dsh running, with one honest line', async () => {
  for (const [name, row, text] of [
    ['no-binary', { promptModel: DIRECTOR, binary: '/nowhere/suggest' }, /unlinked[^]*does not exist/i],
    ['broken-binary', { promptModel: DIRECTOR, binary: 'BROKEN' }, /unlinked[^]*(ended|not)/i],
    ['off-config', { promptModle: DIRECTOR }, /Suggestions off[^]*promptModle/],
    ['off-value', { promptModel: 'nonsense' }, /Suggestions off[^]*nonsense/],
  ]) {
    await within({ row }, async world => {
      if (row.binary === 'BROKEN') {
        const file = join(world.dir, 'broken')
        writeFileSync(file, '#!/bin/sh\nexit 3\n')
        chmodSync(file, 0o755)
        world.row({ ...row, binary: file })
      }
      await world.boot()
      const session = await world.session()
      await world.prompt(session, 'Work all the same {{broken}}')
      await world.turnEnds(session, 1)
      await inPage(world, 'broken', async page => {
        await until('the line in the bar', async () => text.test(await bar(page).innerText({ timeout: 500 }).catch(() => '')))
        await shot(page, name)
      })
      const answer = await world.command(session, '/suggest status')
      assert.equal(answer.kind, 'success')
      assert.match(answer.text, name.startsWith('off') ? /^off: / : /^unlinked: /)
      assert.equal((await world.command(session, '/suggest run')).kind, 'error')
      assert.equal(world.model.directorCalls().length, 0)
    })
  }
})

test('a row that is there twice starts one engine', () => within({ row: { promptModel: DIRECTOR } }, async world => {
  writeFileSync(join(world.home, 'profiles/web/cordis.patch.yml'), `- id: suggest\n  config: { promptModel: ${DIRECTOR} }\n- insert:\n    - id: suggest-again\n      name: dsh-suggest\n      config: { promptModel: ${DIRECTOR} }\n`)
  await world.boot()
  const session = await world.session()
  await world.prompt(session, 'Once')
  await world.state(session, 'an offer', state => state.status === 'ready')
  assert.equal(world.sidecars().length, 1)
  assert.equal(world.model.directorCalls().length, 1)
}))

test('the headless profile pays nothing (D12)', () => within({}, async world => {
  const added = await world.dsh('plugin', '--profile', 'headless', 'add', process.env.SUGGEST_E2E_PLUGIN)
  assert.equal(added.code, 0, added.output)
  const ran = await world.dsh('--profile', 'headless', 'say something')
  assert.equal(ran.code, 0, ran.output)
  assert.match(ran.output, /Done: say something/)
  assert.equal(world.model.directorCalls().length, 0)
}))

test('uninstalling leaves nothing behind in dsh', () => within({}, async world => {
  const removed = await world.dsh('plugin', '--profile', 'web', 'remove', 'dsh-suggest')
  assert.equal(removed.code, 0, removed.output)
  await world.boot()
  assert.equal((await fetch(`${world.base}/suggest/events`)).headers.get('content-type')?.includes('event-stream') ?? false, false)
  assert.equal(world.sidecars().length, 0)
}))

test('the event stream is for pages of this server, and the engine ends with dsh', () => within({}, async world => {
  await world.boot()
  const status = headers => new Promise((resolve, reject) => {
    const call = request(`${world.base}/suggest/events`, { headers }, response => { resolve(response.statusCode); response.destroy() })
    call.on('error', reject)
    call.end()
  })
  assert.equal(await status({}), 200)
  assert.equal(await status({ host: 'evil.example' }), 403)
  assert.equal(await status({ origin: 'http://evil.example' }), 403)
  assert.equal(await status({ 'sec-fetch-site': 'cross-site' }), 403)
  const session = await world.session()
  await world.state(session, 'linked', (_, frame) => frame.link.kind === 'linked')
  const [pid] = world.sidecars()
  world.child.kill('SIGKILL')
  await world.child.exited
  await until('no orphan', () => !existsSync(`/proc/${pid}`), 5_000)
  world.child = undefined
}))

function proxies(world) {
  return world.children().filter(pid => !world.sidecars().includes(pid) && world.commandOf(pid).includes('proxy.mjs'))
}
