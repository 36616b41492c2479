// The advisor: what it reads, how its notes arrive, what a person can do about it, and where it shows.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { composer, note, offers, openBrowser, select, send, shot } from '../lib/browser.mjs'
import { DIRECTOR, noted, REVIEWER } from '../lib/model-server.mjs'
import { gate, never, until } from '../lib/wait.mjs'
import { makeWorld } from '../lib/world.mjs'

const ADVISED = { promptMaxRounds: 5, advisor: { ...REVIEWER, nextPrompt: false } }
let world, browser, page

before(async () => {
  world = await makeWorld({ row: ADVISED })
  await world.boot()
  browser = await openBrowser()
  page = await browser.open(world.base)
})
after(async () => {
  await browser?.close()
  await world?.close()
})

/** Everything the model server answers as it does by itself. */
function quiet() {
  world.model.review = () => ({ text: '{"note": null}' })
  world.model.predict = () => ({ text: 'NONE' })
  world.model.trial = () => ({ text: 'ready' })
  world.model.beforeWorker = async () => {}
  world.model.director = () => ({ text: `NEXT: Take step ${world.model.directorCalls().length} of PLAN.md` })
}

const advisorOf = (session, what, wanted, ms) => world.state(session, what, state => state.advisor !== null && wanted(state.advisor, state), ms)

/** A session with one turn that was reviewed, shown in the page. */
async function started(name, { shown = true } = {}) {
  quiet()
  const reviews = world.model.reviews().length
  const session = await world.session()
  await world.prompt(session, `Start the work {{${name}}}`)
  await until('the first review', () => world.model.reviews().length > reviews)
  await advisorOf(session, 'the end of the first review', advisor => advisor.status === 'idle')
  if (shown) await show(name)
  return session
}

async function show(name) {
  await page.goto(world.base)
  await page.waitForSelector('[role=treeitem]')
  await until('the title', async () => (await page.locator('[role=treeitem]', { hasText: name }).count()) > 0)
  await select(page, name)
}

const notes = session => world.log(session).filter(event => event.type === 'user/message' && event.data.source.kind === 'plugin' && event.data.source.plugin === 'advisor')
const textOf = message => message.data.content.map(block => block.text).join('')
const read = (call, text) => call.messages.some(message => message.role === 'user' && message.text.includes(text))
/** How many entries the log has in which a message of the advisor entered a queue. */
const queued = session => world.log(session).filter(event => event.type === 'agent/inbox/spliced' && event.data.inserted.some(message => message.source.plugin === 'advisor')).length
const status = async session => (await world.command(session, '/advisor status')).text
/** A row with other settings of the advisor, seen in a session. */
const advise = (session, row, pattern) => world.changeRow(row, `the row in force: ${pattern}`, async () => pattern.test((await world.verb(session, 'advisor config')).text))
const header = () => page.locator('[data-suggest-advisor]')
const panel = () => page.locator('[data-suggest-advisor-panel]')
const field = name => page.locator(`[data-suggest-card] [data-suggest-field="${name}"]`)
const said = inside => page.locator(`${inside} [data-suggest-said]`)

test('a concern is steered into the running session, and the worker reads it with its next request (V4)', async () => {
  const session = await started('concern')
  const [review, work] = [gate(), gate()]
  world.model.review = async () => { await review.opened; return noted('concern', 'the new flag has no test, and the parser changed with it') }
  await world.prompt(session, 'Add the --json flag')
  await until('the review of turn 2', () => world.model.reviews().at(-1).messages.some(message => message.text.includes('--json flag')) && world.turns(session).at(-1).reason === 'completed')
  world.model.beforeWorker = () => work.opened
  const calls = world.model.workerCalls().length
  await world.prompt(session, 'Now look at the files [[tool]]')
  await until('the worker at work', () => world.model.workerCalls().length === calls + 1)
  quiet()
  world.model.beforeWorker = () => work.opened
  review.open()
  await until('the note waits for the next step', () => queued(session) === 1)
  assert.equal(world.model.workerCalls().length, calls + 1, 'the request under way is not disturbed')
  work.open()
  await world.turnEnds(session, 3)
  const text = '[advisor:concern] the new flag has no test, and the parser changed with it'
  const next = world.model.workerCalls()[calls + 1]
  assert.ok(read(next, text), 'the next request of the worker holds it')
  assert.ok(!read(world.model.workerCalls()[calls], text))
  const [message] = notes(session)
  assert.equal(textOf(message), text)
  assert.deepEqual({ ...message.data.source, summary: undefined }, { kind: 'plugin', plugin: 'advisor', form: 'notice', summary: undefined })
  assert.equal(world.turns(session)[2].messages.some(message => message.text === text), true, 'in the turn that ran')
  await until('the row in the chat', async () => (await page.getByText('[advisor:concern]').count()) > 0)
  await shotPage('advisor-note', 'foot')
  await until('the review of turn 3', () => world.model.reviews().at(-1).messages.some(message => message.text.includes('look at the files')))
  assert.ok(!world.model.reviews().at(-1).messages.some(message => message.text.includes('has no test')), 'it does not read its own note')
})

test('a nit waits in the session, wakes nobody, and is read with the next turn (V4)', async () => {
  const session = await started('nit', { shown: false })
  world.model.review = () => noted('nit', 'three flags in a row would read better as one options struct')
  await world.prompt(session, 'Add the third flag')
  await until('the note in the queue', () => queued(session) === 1)
  await advisorOf(session, 'idle', advisor => advisor.status === 'idle')
  quiet()
  assert.equal(world.turns(session).length, 2, 'no turn started for it')
  const calls = world.model.workerCalls().length
  await world.prompt(session, 'Go on')
  await world.turnEnds(session, 3)
  assert.ok(read(world.model.workerCalls()[calls], '[advisor:nit] three flags in a row'))
  assert.equal(notes(session).length, 1)
})

test('a concern after the turn wakes the idle session, once (V4, A11)', async () => {
  const session = await started('wakes', { shown: false })
  let once = true
  world.model.review = () => once ? (once = false, noted('concern', 'the retry also repeats POST requests and may order twice')) : { text: 'NONE' }
  await world.prompt(session, 'Add a retry')
  const turns = await world.turnEnds(session, 3)
  assert.deepEqual(turns[2].messages.map(message => message.text.startsWith('[advisor:concern]')), [true])
  await until('the review of the turn that the note started', async () => /Last: turn 3: nothing to note/.test(await status(session)))
  assert.equal(world.turns(session).length, 3)
})

test('a blocker holds autorun until the human answers (A4, V3)', async () => {
  const session = await started('blocker')
  await world.changeRow({ ...ADVISED, promptModel: DIRECTOR }, 'the director on', async () => (await world.frame(session)).state.status !== 'off')
  const text = 'the human asked to leave schema.sql alone, and this turn rewrote it'
  let once = true
  world.model.review = () => once ? (once = false, noted('blocker', text)) : { text: '{"note": null}' }
  await world.prompt(session, 'Change the migration')
  const blocked = await advisorOf(session, 'the blocker', advisor => advisor.blocker === text)
  assert.equal(blocked.state.autorun.armed, false)
  await world.turnEnds(session, 3)
  await world.state(session, 'an offer', state => state.status === 'ready' && state.offer.turn === 3)
  await world.verb(session, 'autorun on')
  const held = await world.state(session, 'the hold', state => state.autorun.armed && state.autorun.hold?.code === 'blocker')
  assert.equal(held.state.autorun.rounds, 0)
  await note(page, 'loop').waitFor()
  assert.match(await note(page, 'loop').innerText(), /Autorun waits/)
  assert.match(await status(session), /^Blocker: the human asked/)
  await page.locator('[data-suggest-advisor][data-blocker]').waitFor()
  await shot(page, 'advisor-blocker')
  // It keeps holding, however often the offer is renewed.
  await world.verb(session, 'retry')
  await world.state(session, 'another offer', state => state.status === 'ready' && state.autorun.hold?.code === 'blocker')
  assert.equal(world.turns(session).length, 3)
  await world.prompt(session, 'You are right: put schema.sql back')
  const answered = await advisorOf(session, 'the answer', advisor => advisor.blocker === null)
  assert.equal(answered.state.autorun.armed, false, 'a prompt of the human disarms (A5)')
  const { state: { offer } } = await world.state(session, 'an offer for it', state => state.status === 'ready' && state.offer.turn === 4)
  // Beside a director its offer takes the place of the guess (V8).
  await offers(page, offer.text)
  assert.equal(await page.locator('[data-suggest-tip-text]').count(), 0)
  const box = composer(page)
  await box.click()
  await page.keyboard.press('ArrowRight')
  await until('the offer in the input', async () => (await box.inputValue()) === offer.text)
  await box.fill('')
  assert.equal(world.turns(session).length, 4)
  await world.verb(session, 'autorun on')
  await world.state(session, 'a round', state => state.autorun.rounds >= 1)
  await world.verb(session, 'autorun off')
  await until('an idle session', () => world.turns(session).every(turn => turn.reason !== undefined))
})

test('a later review that says the blocker is settled lets the loop go on by itself (V3, A4)', async () => {
  const session = await started('settled', { shown: false })
  await world.state(session, 'the director on', state => state.status === 'ready')
  const replies = [noted('blocker', 'the build is broken since the last edit of parse.rs'), noted('nit', 'the fix could carry a test of the broken input', { settled: true })]
  const [settle] = [gate()]
  world.model.review = async () => { const reply = replies.shift(); if (reply === undefined) return { text: 'NONE' }; if (replies.length === 0) await settle.opened; return reply }
  await world.prompt(session, 'Edit the parser')
  await world.turnEnds(session, 3)
  await world.state(session, 'an offer', state => state.status === 'ready' && state.offer.turn === 3)
  await world.verb(session, 'autorun on')
  await world.state(session, 'the hold', state => state.autorun.armed && state.autorun.hold?.code === 'blocker')
  settle.open()
  await world.state(session, 'a round without a word of the human', state => state.autorun.rounds >= 1 && state.advisor.blocker === null)
  await world.verb(session, 'autorun off')
  await until('an idle session', () => world.turns(session).every(turn => turn.reason !== undefined))
  await world.changeRow(ADVISED, 'the director off again', async () => (await world.frame(session)).state.status === 'off')
})

test('a used-up quota pauses it and nothing else; only `/advisor on` resumes it (V5)', async () => {
  const session = await started('quota')
  world.model.review = () => ({ status: 402, message: 'insufficient_quota: you exceeded your current quota' })
  await world.prompt(session, 'One more turn')
  await world.turnEnds(session, 2)
  await advisorOf(session, 'the pause', advisor => advisor.status === 'paused')
  assert.match(await status(session), /Runtime: paused: quota_exhausted[^\n]*\n/)
  await page.locator('[data-suggest-advisor="paused"]').waitFor()
  await header().click()
  await until('why it is paused, and what resumes it', async () => /Paused[^]*\/advisor on/.test(await panel().innerText({ timeout: 500 }).catch(() => '')))
  await shotPage('advisor-paused', 'header')
  await page.keyboard.press('Escape')
  quiet()
  const calls = world.model.reviews().length
  await world.prompt(session, 'The worker goes on')
  await world.turnEnds(session, 3)
  await never('a review while paused', () => world.model.reviews().length > calls, 500)
  const on = await world.command(session, '/advisor on')
  assert.equal(on.kind, 'success')
  assert.match(on.text, /mock-reviewer\/reviewer-1; it resumes/)
  await world.prompt(session, 'And on')
  await until('a review again', () => world.model.reviews().length === calls + 1)
  assert.ok(world.model.reviews().at(-1).messages.some(message => message.text.includes('And on')))
  assert.doesNotMatch(JSON.stringify(world.log(session)), /insufficient_quota/, 'no text of the provider')
})

test('a permanent error halts it, and `/advisor on` begins anew (V5)', async () => {
  const session = await started('halt', { shown: false })
  world.model.review = () => ({ status: 401, message: 'bad key' })
  await world.prompt(session, 'One more turn')
  await advisorOf(session, 'the halt', advisor => advisor.status === 'halted')
  assert.match(await status(session), /Runtime: halted/)
  quiet()
  assert.match((await world.command(session, '/advisor on')).text, /it begins anew/)
  const calls = world.model.reviews().length
  await world.prompt(session, 'And on')
  await until('a review again', () => world.model.reviews().length === calls + 1)
})

test('a model that fails its trial is not pinned, by the command and in the header; a good one is, for this session only (V7)', async () => {
  const other = await started('not pinned', { shown: false })
  const session = await started('pinned')
  const refused = await world.command(session, '/advisor model set mock-reviewer nowhere')
  assert.equal(refused.kind, 'error')
  assert.match(refused.text, /mock-reviewer\/nowhere was not pinned: .*; the earlier choice stands/)
  assert.match((await world.command(session, '/advisor model')).text, /^mock-reviewer\/reviewer-1 \(global default\)/)

  world.model.trial = () => ({ status: 401, message: 'bad key' })
  await header().click()
  await panel().waitFor()
  await until('the pair', async () => (await panel().locator('[data-suggest-pair]').innerText()) === 'mock-reviewer/reviewer-1')
  assert.match(await panel().locator('[data-suggest-source]').innerText(), /global default/)
  const focusInside = () => panel().evaluate(inside => inside.contains(document.activeElement))
  await until('the focus in the panel', focusInside)
  await panel().locator('[data-suggest-field="model"]').selectOption('reviewer-2')
  await panel().locator('[data-suggest-action="pin"]').click()
  await until('the refusal', async () => /reviewer-2 was not pinned/.test(await said('[data-suggest-advisor-panel]').innerText()))
  assert.equal(await panel().locator('[data-suggest-pair]').innerText(), 'mock-reviewer/reviewer-1')
  await until('the focus is not lost with the button that was disabled', focusInside)
  await shotPage('advisor-pin-refused', 'header')

  world.model.trial = () => ({ text: 'ready' })
  await panel().locator('[data-suggest-action="pin"]').click()
  await until('the pin', async () => (await panel().locator('[data-suggest-pair]').innerText()) === 'mock-reviewer/reviewer-2' && /session override/.test(await panel().locator('[data-suggest-source]').innerText()))
  await shotPage('advisor-header', 'header')
  await page.keyboard.press('Escape')
  await panel().waitFor({ state: 'detached' })
  assert.equal(await header().evaluate(button => button === document.activeElement), true, 'Escape goes back to the button')
  await page.keyboard.press('Enter')
  await until('the focus in the panel', focusInside)
  await panel().locator('[data-suggest-action="unpin"]').focus()
  await page.keyboard.press('Tab')
  await panel().waitFor({ state: 'detached' })
  await world.prompt(session, 'Reviewed by the other one')
  await until('the review', () => world.model.reviews().at(-1).messages.some(message => message.text.includes('Reviewed by the other one')))
  assert.equal(world.model.reviews().at(-1).model, 'reviewer-2')
  await world.prompt(other, 'Reviewed by the usual one')
  await until('the review', () => world.model.reviews().at(-1).messages.some(message => message.text.includes('Reviewed by the usual one')))
  assert.equal(world.model.reviews().at(-1).model, 'reviewer-1')

  await header().click()
  await panel().locator('[data-suggest-action="unpin"]').click()
  await until('the default', async () => (await panel().locator('[data-suggest-pair]').innerText()) === 'mock-reviewer/reviewer-1')
  await page.keyboard.press('Escape')
  assert.equal(world.log(session).filter(event => event.type === 'command/run').length, 2, 'the page writes nothing to the log')
})

test('the guess of the next prompt stands under the input; → in the empty input accepts it, and it is never sent (V8)', async () => {
  const session = await started('tip')
  await advise(session, { ...ADVISED, advisor: REVIEWER }, /nextPrompt: true/)
  world.model.predict = () => ({ text: 'NEXT: Run the report tests again' })
  await send(page, 'Write the report tests')
  const tip = page.locator('[data-suggest-tip-text]')
  await tip.waitFor()
  assert.equal(await tip.innerText(), 'Run the report tests again')
  await shotPage('advisor-tip', 'foot')
  const box = composer(page)
  await box.click()
  await page.keyboard.type('x')
  await tip.waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowRight')
  assert.equal(await box.inputValue(), 'x', 'a draft is left alone')
  await page.keyboard.press('Backspace')
  await tip.waitFor()
  await page.keyboard.press('ArrowRight')
  await until('the text in the input', async () => (await box.inputValue()) === 'Run the report tests again')
  await box.fill('')
  await tip.click()
  await until('the text in the input', async () => (await box.inputValue()) === 'Run the report tests again')
  assert.equal(world.turns(session).length, 2, 'nothing was sent')
  await page.keyboard.press('Enter')
  const turns = await world.turnEnds(session, 3)
  assert.equal(turns[2].messages[0].source.kind, 'user')
  await advise(session, ADVISED, /nextPrompt: false/)
  await tip.waitFor({ state: 'detached' })
  const guesses = world.model.predictions().length
  await world.prompt(session, 'No guess any more')
  await until('the review', () => world.model.reviews().at(-1).messages.some(message => message.text.includes('No guess any more')))
  assert.equal(world.model.predictions().length, guesses)
})

test('settings saved in the page are in the row, and hold in running sessions at once (V6)', async () => {
  quiet()
  const session = await world.session()
  await advise(session, { promptMaxRounds: 5, advisor: { nextPrompt: false } }, /provider: \(not set\)/)
  writeFileSync(world.rowFile, `# kept by every save\n- id: suggest\n  config:\n    promptMaxRounds: 5 # few\n    advisor: { nextPrompt: false }\n`)
  await world.prompt(session, 'A turn without an advisor {{card}}')
  await world.turnEnds(session, 1)
  const reviews = world.model.reviews().length
  const sidecars = world.sidecars()
  await show('card')
  await openCard()
  assert.equal(await field('provider').inputValue(), '')
  assert.deepEqual(await field('provider').locator('option').allInnerTexts().then(names => names.filter(name => /Mock|DeepSeek/i.test(name)).length >= 3), true, 'the providers that dsh has')
  assert.equal(await page.locator('[data-suggest-card] [data-suggest-action="save"]').isDisabled(), true)
  // A model that declares its efforts: they can be chosen.
  await field('provider').selectOption('deepseek-official')
  await field('model').selectOption({ index: 1 })
  await until('the efforts of the model', async () => (await field('reasoningEffort').locator('option').allInnerTexts()).includes('off'))
  await field('provider').selectOption(REVIEWER.provider)
  assert.match(await said('[data-suggest-card]').innerText(), /both required/)
  assert.equal(await page.locator('[data-suggest-card] [data-suggest-action="save"]').isDisabled(), true, 'half a pair cannot be saved')
  await field('model').selectOption(REVIEWER.model)
  await field('immuneTurns').fill('0')
  await field('systemPrompt').fill('You review for a bank.\nBe strict.')
  await shotPage('advisor-settings', 'settings')
  await page.locator('[data-suggest-card] [data-suggest-action="save"]').click()
  await until('saved', async () => /Saved/.test(await said('[data-suggest-card]').innerText()))
  await shotPage('advisor-settings-saved', 'settings')
  const file = readFileSync(world.rowFile, 'utf8')
  assert.match(file, /# kept by every save/)
  assert.match(file, /promptMaxRounds: 5 # few/)
  assert.match(file, /provider: mock-reviewer/)
  assert.match(file, /immuneTurns: 0/)
  await page.keyboard.press('Escape')
  await world.prompt(session, 'A turn with an advisor')
  await until('its review', () => world.model.reviews().length > reviews && world.model.reviews().at(-1).messages.some(message => message.text.includes('A turn with an advisor')))
  assert.match(world.model.reviews().at(-1).messages[0].text, /You review for a bank/)
  assert.ok(!world.model.reviews().at(-1).messages.some(message => message.text.includes('without an advisor')), 'nothing of before is reviewed')
  assert.deepEqual(world.sidecars(), sidecars, 'nothing was restarted')
  // What was saved stands after a restart of dsh.
  const dump = await world.dsh('--profile', 'web', '--dump-config')
  assert.match(dump.output, /reviewer-1/)
})

test('a row that is edited by hand reaches the running engine, the director\'s too (G4, V6)', async () => {
  quiet()
  const session = await world.session()
  const frame = () => world.frame(session)
  await world.changeRow({ promptMaxRounds: 7 }, 'the budget of the row', async () => { const { state } = await frame(); return state?.status === 'off' && state.autorun.max_rounds === 7 })
  assert.equal((await world.command(session, '/advisor model set mock-reviewer reviewer-2')).kind, 'success')
  const sidecars = world.sidecars()
  await world.changeRow({ promptMaxRounds: 8, promptModel: DIRECTOR }, 'the model of the row', async () => { const { state } = await frame(); return state.status === 'idle' && state.model.id === DIRECTOR })
  await world.prompt(session, 'Go {{by hand}}')
  await world.state(session, 'an offer', state => state.status === 'ready')
  await show('by hand')
  await world.changeRow({ promptMaxRonds: 8, promptModel: DIRECTOR }, 'the wrong key in the bar', async () => /Suggestions off[^]*promptMaxRonds/.test(await page.locator('[data-suggest]').innerText({ timeout: 500 }).catch(() => '')))
  assert.match((await world.command(session, '/suggest status')).text, /^off: .*promptMaxRonds/)
  await world.changeRow(ADVISED, 'mended', async () => { const { link, state } = await frame(); return link.kind === 'linked' && state.advisor?.status === 'idle' && state.autorun.max_rounds === ADVISED.promptMaxRounds })
  assert.match((await world.command(session, '/advisor model')).text, /^mock-reviewer\/reviewer-2 \(session override\)/, 'the pin outlives every change of the row')
  assert.deepEqual(world.sidecars(), sidecars, 'nothing was restarted')
})

test('the command says what it did, in every form (V7)', async () => {
  const session = await started('commands')
  const say = async line => { const { kind, text } = await world.command(session, line); return `${kind}: ${text}` }
  assert.match(await say('/advisor'), /^success: the advisor is off in this session/)
  assert.match(await say('/advisor'), /^success: the advisor is on in this session, with mock-reviewer\/reviewer-1/)
  assert.match(await say('/advisor off'), /^success: the advisor is off/)
  assert.match(await say('/advisor status'), /^success: Advisor: off in this session\nModel: mock-reviewer\/reviewer-1 \(global default\)\nRuntime: off/)
  assert.match(await say('/advisor on'), /^success: the advisor is on/)
  assert.match(await say('/advisor config'), /^success: provider: mock-reviewer\nmodel: reviewer-1\n[^]*immuneTurns: 3[^]*defaultEnabled: true/)
  assert.match(await say('/advisor model'), /^success: mock-reviewer\/reviewer-1 \(global default\)/)
  assert.match(await say('/advisor model set mock-reviewer'), /^error: write `advisor model set PROVIDER MODEL`/)
  assert.match(await say('/advisor model set mock-reviewer reviewer-2'), /^success: mock-reviewer\/reviewer-2 reviews this session now/)
  assert.match(await say('/advisor model reset'), /^success: the session override is dropped; mock-reviewer\/reviewer-1/)
  assert.match(await say('/advisor conquer'), /^error: no command/)
  // Typed in the page, with the hint of the command's words.
  await composer(page).click()
  await page.keyboard.type('/advisor')
  await until('the command in the menu', async () => (await page.getByText('a second model that reviews each turn').count()) > 0)
  await shotPage('advisor-command', 'foot')
  await composer(page).fill('')
  await send(page, '/advisor status')
  await until('its answer', () => world.log(session).filter(event => event.type === 'command/done').length === 12)
})

test('the advisor\'s calls are for pages of this server', async () => {
  const call = (method, headers) => new Promise((resolve, reject) => {
    const body = JSON.stringify({ type: 'client-request', rpcId: 'x', method: `advisor/${method}`, payload: { args: method === 'get' ? {} : { session: 'x' } } })
    const asked = request(`${world.base}/api/advisor/${method}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', part => { text += part }).on('end', () => resolve({ status: response.statusCode, text }))
    })
    asked.on('error', reject)
    asked.end(body)
  })
  assert.match((await call('get', {})).text, /"revision"/)
  for (const method of ['get', 'getSession']) {
    for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
      const { status, text } = await call(method, headers)
      assert.ok(status >= 400, `${method} ${JSON.stringify(headers)}: ${status}`)
      assert.doesNotMatch(text, /revision|mock-reviewer/)
    }
  }
})

test('both themes and a narrow window hold everything', async () => {
  const session = await started('looks')
  await advise(session, { ...ADVISED, advisor: REVIEWER }, /nextPrompt: true/)
  world.model.predict = () => ({ text: 'NEXT: Run the report tests again, and then look at the long list of rows that the footer leaves out' })
  await world.prompt(session, 'Write the report tests')
  for (const [name, theme, width] of [['dark', 'dark', 1280], ['narrow', 'light', 480]]) {
    await page.emulateMedia({ colorScheme: theme })
    await page.setViewportSize({ width, height: 860 })
    await page.locator('[data-suggest-tip-text]').waitFor()
    await shotPage(`advisor-tip-${name}`, 'foot')
    if (await header().isVisible()) {
      await header().click()
      await panel().waitFor()
      await until(`${name}: the panel is inside the page`, async () => {
        const box = await panel().boundingBox()
        return box.x >= 0 && box.x + box.width <= width
      })
      await shotPage(`advisor-header-${name}`, 'header')
      await page.keyboard.press('Escape')
    }
    const tip = await page.locator('[data-suggest-tip-text]').boundingBox()
    assert.ok(tip.x >= 0 && tip.x + tip.width <= width, `${name}: the tip is inside the page`)
  }
  await openCard()
  await until('the settings are inside the narrow page', () => page.evaluate(() => [...document.querySelectorAll('[data-suggest-card] :is(input, select, textarea, button)')].every(control => {
    const box = control.getBoundingClientRect()
    return box.left >= 0 && box.right <= window.innerWidth
  })))
  await shotPage('advisor-settings-narrow')
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await openCard()
  await shotPage('advisor-settings-dark', 'settings')
  await page.keyboard.press('Escape')
  await page.emulateMedia({ colorScheme: 'light' })
})

test('nothing broke in the page or in dsh', () => {
  assert.deepEqual(browser.problems.filter(problem => !/status of (402|401)/.test(problem)), [])
  assert.doesNotMatch(world.output, /unhandled|TypeError/i)
})

async function openCard() {
  await page.locator('[data-slot="sidebar.settings"] button, button:has-text("Settings")').first().click()
  await page.getByRole('dialog').first().waitFor()
  await page.getByRole('dialog').getByText('Plugins', { exact: true }).first().click()
  await page.getByRole('tab', { name: 'Advisor' }).click()
  await page.locator('[data-suggest-card]').waitFor()
}

/** Parts of a page of 1280 pixels; a narrow one is shown whole. */
const PARTS = {
  settings: { x: 240, y: 30, width: 800, height: 800 },
  header: { x: 280, y: 0, width: 1000, height: 400 },
  foot: { x: 300, y: 560, width: 960, height: 300 },
}

async function shotPage(name, part) {
  const dir = process.env.SUGGEST_E2E_SHOTS
  if (dir === undefined) return
  mkdirSync(dir, { recursive: true })
  const clip = page.viewportSize().width < 1_000 ? undefined : PARTS[part]
  await page.screenshot({ path: join(dir, `${name}.png`), ...(clip === undefined ? {} : { clip }) })
}
