// The loop, alone and beside a goal.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { action, bar, note, openBrowser, prompt, select, send, shot, shows } from '../lib/browser.mjs'
import { DIRECTOR } from '../lib/model-server.mjs'
import { gate, never, until } from '../lib/wait.mjs'
import { makeWorld } from '../lib/world.mjs'

const BUDGET = 3
let world, browser, page

before(async () => {
  world = await makeWorld({ row: { promptMaxRounds: BUDGET, promptModel: DIRECTOR } })
  await world.boot()
  browser = await openBrowser()
  page = await browser.open(world.base)
})
after(async () => {
  await browser?.close()
  await world?.close()
})

const STEPS = ['Add a test for the empty report', 'Print the totals in the footer', 'Document the flag in README.md', 'Handle a missing ledger', 'Sort the rows by date', 'Name the currency in the header', 'Round to two digits', 'Add a changelog entry', 'Check the exit status', 'Split the module']
const plain = () => { const n = world.model.directorCalls().length - 1; return { text: `NEXT: ${STEPS[n % STEPS.length]} (${n})` } }

/** A session with one completed turn and an offer, shown in the page. */
async function started(name) {
  world.model.director = plain
  const session = await world.session()
  await world.prompt(session, `Start the work {{${name}}}`)
  await world.state(session, 'the first offer', state => state.status === 'ready')
  await page.goto(world.base)
  await page.waitForSelector('[role=treeitem]')
  await until('the title', async () => (await page.locator('[role=treeitem]', { hasText: name }).count()) > 0)
  await select(page, name)
  await shows(page, 'ready')
  return session
}

const rounds = session => world.turns(session).filter(turn => turn.messages.some(message => message.source.kind === 'plugin' && message.source.plugin === 'suggest'))

test('autorun runs its whole budget, as the plugin and not as the human, and stops with the numbers (A5, A6, A7)', async () => {
  const session = await started('budget')
  const held = gate()
  const calls = world.model.directorCalls().length
  let free = false
  world.model.director = async () => { if (!free && world.model.directorCalls().length === calls + 2) await held.opened; return plain() }
  await action(page, 'autorun').focus()
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-suggest-action="autorun"][aria-pressed="true"]')
  assert.equal(await page.evaluate(() => document.activeElement?.dataset.suggestAction), 'autorun', 'the button that was pressed keeps the focus')
  await until('the second round waits', async () => /2\/3/.test(await note(page, 'loop').innerText({ timeout: 500 }).catch(() => '')))
  assert.match(await note(page, 'loop').innerText(), /2\/3 rounds/)
  assert.match(await action(page, 'autorun').innerText(), /Autorun off/)
  await shot(page, 'autorun')
  free = true
  held.open()
  const done = await world.state(session, 'the end of the budget', state => !state.autorun.armed && state.autorun.rounds === BUDGET && state.status === 'ready')
  assert.equal(done.state.autorun.disarmed_because.code, 'budget-spent')
  await note(page, 'stopped').waitFor()
  assert.match(await note(page, 'stopped').innerText(), /3\/3 rounds/)
  await shot(page, 'budget-spent')
  assert.equal(rounds(session).length, BUDGET)
  const turns = world.turns(session)
  assert.equal(turns.length, 1 + BUDGET)
  assert.equal(world.model.directorCalls().length, calls + BUDGET, 'one call a turn')
  await action(page, 'autorun').click()
  await note(page, 'refusal').waitFor()
  assert.match(await note(page, 'refusal').innerText(), /3 of 3/)
  await shot(page, 'refused')
  await world.command(session, '/suggest autorun reset')
  await world.state(session, 'a fresh budget', state => state.autorun.rounds === 0)
  assert.match((await world.command(session, '/suggest report')).text, /3/)
})

test('a human\'s prompt and Stop disarm at once; generation goes on (A5)', async () => {
  const session = await started('disarm')
  world.model.workerDelay = 600
  await world.verb(session, 'autorun on')
  await world.state(session, 'the first round', state => state.autorun.rounds === 1)
  await world.prompt(session, 'My own idea')
  await world.state(session, 'disarmed by the prompt', state => !state.autorun.armed && state.autorun.disarmed_because.code === 'human-prompt')
  world.model.workerDelay = 0
  await world.turnEnds(session, 3)
  await world.state(session, 'the next offer', state => state.status === 'ready')
  assert.equal(rounds(session).length, 1)

  world.model.workerDelay = 2_000
  await world.verb(session, 'autorun on')
  await world.state(session, 'the second round', state => state.autorun.rounds === 2)
  await world.rpc('session.cancel', { sessionId: session })
  await world.state(session, 'disarmed by Stop', state => !state.autorun.armed && state.autorun.disarmed_because.code === 'round-not-completed')
  world.model.workerDelay = 0
})

test('an armed goal owns the boundary; arming pauses its driver, and Resume gives it back (A2, A4)', async () => {
  const session = await started('goal')
  world.model.goalRounds = 1_000
  world.model.goalRoundDelay = 250
  await world.command(session, '/goal Ship the report command')
  await until('a goal round', () => world.turns(session).some(turn => turn.messages.some(message => message.source.kind === 'goal')))
  await shows(page, 'analyzing').catch(() => {})
  const armed = await world.verb(session, 'autorun on')
  assert.equal(armed.code, 'ok', armed.text)
  await world.state(session, 'the goal paused for the loop', state => state.goal?.phase === 'paused' && state.goal.paused_by_autorun)
  await until('the goal bar offers Resume', () => page.getByRole('button', { name: /resume/i }).first().isVisible())
  await world.state(session, 'a round of the loop', state => state.autorun.rounds >= 1)
  await shot(page, 'goal-paused')
  // The round is counted before it is submitted: the log shows it a little later.
  await until('the round in the log', () => rounds(session).length >= 1)
  // The slice says the goal, and that it is still the one to serve (G1).
  assert.ok(world.model.directorCalls().at(-1).messages.some(message => message.text.includes('Ship the report command')))

  world.model.director = () => ({ text: 'NONE' })
  await world.state(session, 'the loop stopped', state => !state.autorun.armed, 30_000)
  assert.ok((await world.frame(session)).state.goal.paused_by_autorun, 'nothing but a person resumes it')
  await note(page, 'goal').waitFor()
  await world.command(session, '/suggest autorun reset')
  world.model.director = plain

  // A human who resumes the goal while the loop is armed gives the boundary back.
  await world.verb(session, 'retry')
  const earlier = rounds(session).length
  await world.verb(session, 'autorun on')
  await world.state(session, 'a round again', state => state.autorun.rounds >= 1)
  const goal = (await world.frame(session)).state.goal
  await world.goals('resume', { agentId: session, ref: { id: goal.id, revision: goal.revision } }).catch(async () => world.command(session, '/goal resume'))
  const held = await world.state(session, 'the hold beside the armed goal', state => state.autorun.armed === false || state.autorun.hold?.code === 'goal-owns-boundary')
  if (held.state.autorun.armed) {
    await until('the hold in the bar', async () => /Autorun waits/.test(await note(page, 'loop').innerText({ timeout: 500 }).catch(() => '')))
    await shot(page, 'hold')
    // A round that was submitted before the human resumed may reach the log only now.
    await until('the log of each counted round', async () => rounds(session).length - earlier === (await world.frame(session)).state.autorun.rounds)
    const before = rounds(session).length
    await never('a round beside an armed goal', () => rounds(session).length > before, 1_500)
  }
  await world.verb(session, 'autorun off')
  await world.command(session, '/goal pause')
  assert.deepEqual(world.refusedByUs(session), [], 'no refused turn')
})

test('a step that edits the goal waits for the human\'s Run (G2)', async () => {
  const session = await started('edit')
  world.model.director = () => ({ text: 'GOAL: Close the goal out, since everything is done' })
  await world.verb(session, 'autorun on')
  await world.state(session, 'the hold for the hand', state => state.autorun.hold?.code === 'by-hand-offer' && state.offer?.kind === 'goal_edit')
  await until('the label', async () => /edits the goal/.test(await note(page, 'kind').innerText({ timeout: 500 }).catch(() => '')))
  await shot(page, 'goal-edit')
  await page.reload()
  await page.waitForSelector('[role=treeitem]')
  await select(page, 'edit')
  await page.waitForSelector('[data-suggest-action="autorun"][aria-pressed="true"]')
  const before = rounds(session).length
  await never('an edit of the goal by the loop', () => rounds(session).length > before, 1_000)
  world.model.director = plain
  const text = await prompt(page).innerText()
  assert.equal(text, 'Close the goal out, since everything is done')
  await action(page, 'run').click()
  await until('the human\'s turn', () => world.turns(session).some(turn => turn.messages[0]?.text === text && turn.messages[0].source.kind === 'user'))
  await world.state(session, 'disarmed by the Run', state => !state.autorun.armed)
})

test('a restart of dsh comes back disarmed, with the offer\'s number never used again (A1, D11)', async () => {
  const session = await started('restart')
  const { state: { offer } } = await world.frame(session)
  world.model.director = () => ({ text: 'GOAL: Wait for the human' })
  await world.verb(session, 'autorun on')
  await world.state(session, 'armed and waiting', state => state.autorun.armed && state.offer?.kind === 'goal_edit')
  await world.stop()
  await until('the bar says so', () => page.locator('[data-suggest="unlinked"]').isVisible())
  await shot(page, 'disconnected')
  world.model.director = plain
  await world.boot()
  await page.goto(world.base)
  await page.waitForSelector('[role=treeitem]')
  await select(page, 'restart')
  await shows(page, 'idle')
  const back = await world.state(session, 'the session again', () => true)
  assert.equal(back.state.autorun.armed, false)
  assert.equal((await world.verb(session, `run ${offer.id}`)).code === 'ok', false)
  await send(page, 'Go on')
  const next = await world.state(session, 'a new offer', state => state.status === 'ready')
  assert.ok(Number(next.state.offer.id.slice(1)) > Number(offer.id.slice(1)))
  assert.match(await bar(page).innerText(), /Recommended Next Step/)
})

test('but for the lost connection nothing broke in the page, and dsh said nothing of an error', () => {
  assert.deepEqual(browser.problems.filter(problem => !/ERR_|Failed to fetch|WebSocket connection|404/.test(problem)), [])
  assert.doesNotMatch(world.output, /unhandled|TypeError/i)
})
