// What a person sees from the installation to the last click, in a real browser.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { action, bar, composer, note, offers, openBrowser, prompt, select, send, sessionOf, shot, shows, showsNothing } from '../lib/browser.mjs'
import { DIRECTOR } from '../lib/model-server.mjs'
import { gate, until } from '../lib/wait.mjs'
import { makeWorld } from '../lib/world.mjs'

let world, browser, page, session

before(async () => {
  world = await makeWorld()
  await world.boot()
  browser = await openBrowser()
  page = await browser.open(world.base)
})
after(async () => {
  await browser?.close()
  await world?.close()
})

/** Loads the page anew and opens the session again. */
async function reload() {
  await page.reload()
  await page.waitForSelector('[role=treeitem]')
  await select(page, world.model.title)
}

const frame = () => world.frame(session)
const director = answer => { world.model.director = answer }
const numbered = { text: undefined }
const plain = () => ({ text: `NEXT: ${numbered.text ?? `Write test number ${world.model.directorCalls().length} for the report command in src/report.rs`}` })

test('after the documented installation nothing shows, and no model is asked', async () => {
  assert.match((await world.command(await world.session(), '/suggest status')).text, /off: no model is set/)
  await page.waitForFunction(() => document.querySelector('style[data-plugin="dsh-suggest"]') !== null)
  assert.equal(await bar(page).count(), 0)
  assert.equal(world.model.directorCalls().length, 0)
  await shot(page, 'off')
})

test('one command sets the model, and the bar says that it waits', async () => {
  await send(page, `/suggest model ${DIRECTOR}`)
  await shows(page, 'idle')
  session = await sessionOf(page)
  assert.match(await bar(page).innerText(), /No suggestion yet[^]*after your next turn/)
  await shot(page, 'idle')
  assert.equal(world.model.directorCalls().length, 0, 'no completed turn, no call (D4)')
})

test('a turn, analyzing, and the offer with the model that wrote it', async () => {
  const held = gate()
  director(async () => { await held.opened; return plain() })
  await send(page, 'Add a --json flag to the report command [[tool]]')
  await shows(page, 'analyzing')
  await shot(page, 'analyzing')
  await reload()
  await shows(page, 'analyzing')
  held.open()
  await shows(page, 'ready')
  assert.match(await bar(page).innerText(), /Recommended Next Step/)
  assert.equal(await prompt(page).innerText(), 'Write test number 1 for the report command in src/report.rs')
  assert.equal(await page.locator('[data-suggest-model]').getAttribute('title'), `written by ${DIRECTOR}`)
  await shot(page, 'ready')
  director(plain)
})

test('one call for the turn, and its slice holds the conversation and nothing else (D4, S1)', () => {
  const calls = world.model.directorCalls()
  assert.equal(calls.length, 1)
  const text = calls[0].messages.map(message => message.text).join('\n')
  assert.match(text, /--json flag/)
  for (const secret of ['SECRET-TOOL-OUTPUT', 'PRIVATE-INSTRUCTION-FILE', 'Current DSH file policy', 'system-reminder', '/suggest model', 'no model']) assert.ok(!text.includes(secret), `the slice holds ${secret}`)
  assert.ok(world.model.workerCalls().length >= 2, 'the worker used its tool')
  assert.ok(world.model.workerCalls().some(call => call.messages.some(message => message.text.includes('SECRET-TOOL-OUTPUT'))))
})

test('nothing of the plugin stands in the worker\'s system prompt (D12)', () => {
  for (const call of world.model.workerCalls()) assert.doesNotMatch(call.messages.find(message => message.role === 'system')?.text ?? '', /dsh-suggest|NEXT:/)
})

test('a click expands the prompt, another puts it into the input; a draft is never replaced unasked', async () => {
  await prompt(page).click()
  assert.equal(await prompt(page).getAttribute('aria-expanded'), 'true')
  await note(page, 'use').waitFor()
  await shot(page, 'expanded')
  await prompt(page).click()
  await note(page, 'filled').waitFor()
  assert.equal(await composer(page).inputValue(), await prompt(page).innerText())
  await shot(page, 'edit')
  await composer(page).fill('my own words')
  await prompt(page).click()
  await note(page, 'ask').waitFor()
  assert.equal(await composer(page).inputValue(), 'my own words')
  await shot(page, 'replace')
  await action(page, 'keep').click()
  assert.equal(await composer(page).inputValue(), 'my own words')
  await prompt(page).click()
  await action(page, 'replace').click()
  await note(page, 'filled').waitFor()
  assert.equal(await composer(page).inputValue(), await prompt(page).innerText())
  await composer(page).fill('')
  await action(page, 'collapse').click()
  assert.equal(world.turns(session).length, 1, 'reading and filling submit nothing')
})

test('the keyboard reaches everything, and Enter in the input never runs the offer (D11)', async () => {
  await composer(page).click()
  await page.keyboard.press('Enter')
  assert.equal(world.turns(session).length, 1)
  await prompt(page).focus()
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-suggest-prompt][aria-expanded="true"]')
  await page.keyboard.press('Escape')
  await page.waitForSelector('[data-suggest-prompt][aria-expanded="false"]')
  for (const name of ['run', 'autorun', 'off']) {
    await action(page, name).focus()
    assert.equal(await page.evaluate(() => document.activeElement?.dataset.suggestAction), name)
  }
})

test('Run submits the offer as the human\'s own turn, byte for byte (D11)', async () => {
  const text = await prompt(page).innerText()
  await action(page, 'run').click()
  const turns = await world.turnEnds(session, 2)
  assert.equal(turns[1].messages[0].text, text)
  assert.equal(turns[1].messages[0].source.kind, 'user')
  await offers(page, await world.offer(session, 2))
  assert.equal(world.model.directorCalls().length, 2)
})

test('an edited offer is the human\'s prompt like any other', async () => {
  await prompt(page).click()
  await prompt(page).click()
  await note(page, 'filled').waitFor()
  await send(page, `${await composer(page).inputValue()} and run it`)
  const turns = await world.turnEnds(session, 3)
  assert.match(turns[2].messages[0].text, /and run it$/)
  await offers(page, await world.offer(session, 3))
})

test('a failure is labelled with its reason and keeps the last offer; Retry asks again (D10, D6)', async () => {
  director(() => ({ status: 401, message: 'bad key' }))
  await send(page, 'Now the other flag')
  await shows(page, 'failed')
  assert.match(await bar(page).innerText(), /Suggestion failed/)
  assert.match(await note(page, 'failure').innerText(), /\S/)
  assert.match(await note(page, 'older').innerText(), /from turn 3/)
  await shot(page, 'failed')
  await reload()
  await shows(page, 'failed')
  const before = world.model.directorCalls().length
  director(plain)
  await action(page, 'retry').click()
  await shows(page, 'ready')
  assert.equal(world.model.directorCalls().length, before + 1)
})

test('an answer over the cap is retried once, then refused with its numbers (D8)', async () => {
  const before = world.model.directorCalls().length
  director(() => ({ text: `NEXT: Write ${'a very long sentence about tests '.repeat(12)}` }))
  await world.verb(session, 'retry')
  await shows(page, 'failed')
  assert.equal(world.model.directorCalls().length, before + 2)
  assert.match(await bar(page).innerText(), /cap 240/)
  director(plain)
  await action(page, 'retry').click()
  await shows(page, 'ready')
})

test('a step that changes the goal, runs a command or destroys is labelled for the hand (G2, D13)', async () => {
  for (const [text, label, name] of [['GOAL: Cut the goal down to the report command', /edits the goal/, 'by-hand-goal'], ['NEXT: /compact', /runs a command/, 'by-hand-command'], ['NEXT: git push --force origin main', /destructive/, 'by-hand-destructive']]) {
    director(() => ({ text }))
    await world.verb(session, 'retry')
    await until(name, async () => label.test(await note(page, 'kind').innerText({ timeout: 1_000 }).catch(() => '')))
    assert.doesNotMatch(await prompt(page).innerText(), /GOAL:|NEXT:/)
    await shot(page, name)
    if (name !== 'by-hand-command') continue
    const turns = world.turns(session).length
    await action(page, 'run').click()
    await note(page, 'filled').waitFor()
    assert.equal(await composer(page).inputValue(), '/compact')
    assert.equal(world.turns(session).length, turns, 'a command is for the human to send')
    await composer(page).fill('')
  }
  director(plain)
})

test('a reload shows the same thing, and costs no call (D6, D12)', async () => {
  await world.verb(session, 'retry')
  await until('a plain offer', async () => (await note(page, 'kind').count()) === 0 && (await bar(page).getAttribute('data-suggest')) === 'ready')
  const calls = world.model.directorCalls().length
  const text = await prompt(page).innerText()
  await reload()
  await shows(page, 'ready')
  assert.equal(await prompt(page).innerText(), text)
  assert.equal(world.model.directorCalls().length, calls)
})

test('nothing to recommend is no error (D9)', async () => {
  director(() => ({ text: 'NONE' }))
  await world.verb(session, 'retry')
  await shows(page, 'idle')
  await shot(page, 'none')
  director(plain)
  await action(page, 'retry').click()
  await shows(page, 'ready')
})

test('a second tab shows the same session from one stream each, and what one runs the other sees', async () => {
  const other = await browser.context.newPage()
  await other.goto(world.base)
  await other.waitForSelector('[role=treeitem]')
  await select(other, world.model.title)
  await shows(other, 'ready')
  const held = gate()
  director(async () => { await held.opened; return plain() })
  await action(other, 'run').click()
  await shows(page, 'analyzing')
  held.open()
  director(plain)
  await shows(page, 'ready')
  await shows(other, 'ready')
  assert.equal(await prompt(other).innerText(), await prompt(page).innerText())
  await other.close()
})

test('two sessions keep their offers apart, and a visit costs no call', async () => {
  const second = await world.session()
  await world.command(second, `/suggest model ${DIRECTOR}`)
  numbered.text = 'Describe the second session in docs/second.md'
  await world.prompt(second, 'Work on the second thing {{second}}')
  await world.state(second, 'the second offer', state => state.status === 'ready')
  numbered.text = undefined
  const calls = world.model.directorCalls().length
  const first = await prompt(page).innerText()
  await select(page, 'second')
  await until('the second offer in the bar', async () => (await prompt(page).innerText()) === 'Describe the second session in docs/second.md')
  await shot(page, 'two-sessions')
  await select(page, world.model.title)
  await until('the first offer in the bar', async () => (await prompt(page).innerText()) === first)
  assert.equal(world.model.directorCalls().length, calls)
})

test('both themes and a width of 480 pixels hold everything', async () => {
  for (const [name, theme, width, open] of [['dark', 'dark', 1280, false], ['dark-expanded', 'dark', 1280, true], ['narrow', 'light', 480, false], ['narrow-expanded', 'light', 480, true]]) {
    await page.emulateMedia({ colorScheme: theme })
    await page.setViewportSize({ width, height: 860 })
    if (open) await prompt(page).click()
    await shows(page, 'ready')
    await until(`${name}: the bar is inside the page`, async () => {
      const dock = await bar(page).boundingBox()
      return dock.x >= 0 && dock.x + dock.width <= width
    }, 5_000)
    await until(`${name}: every button is inside the bar`, () => page.evaluate(() => {
      const dock = document.querySelector('[data-suggest]').getBoundingClientRect()
      return [...document.querySelectorAll('[data-suggest] button')].every(button => {
        const box = button.getBoundingClientRect()
        return box.left >= dock.left - 1 && box.right <= dock.right + 1
      })
    }), 5_000)
    assert.ok((await bar(page).boundingBox()).y + (await bar(page).boundingBox()).height <= (await composer(page).boundingBox()).y + 2, `${name}: the bar stands above the input`)
    await shot(page, name)
    if (open) await action(page, 'collapse').click()
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 860 })
})

test('under an open queue and a todo list the bar keeps its own room', async () => {
  await send(page, 'Plan it [[todo]]')
  await world.state(session, 'the next offer', state => state.status === 'ready')
  const held = gate()
  world.model.workerDelay = 400
  director(async () => { await held.opened; return plain() })
  await send(page, 'Take your time [[slow]]')
  await send(page, 'a queued prompt')
  await until('the queue above the bar', async () => (await page.locator('[data-suggest][data-queue="open"]').count()) === 1, 8_000).catch(() => {})
  await shot(page, 'queue')
  const boxes = await page.evaluate(() => {
    const dock = document.querySelector('[data-suggest]')
    if (dock === null) return null
    let above = dock.previousElementSibling
    while (above !== null && above.offsetHeight === 0) above = above.previousElementSibling
    return above === null ? null : { above: above.getBoundingClientRect().bottom, bar: dock.getBoundingClientRect().top }
  })
  if (boxes !== null) assert.ok(boxes.bar >= boxes.above - 1, `the bar starts under what stands above it: ${JSON.stringify(boxes)}`)
  held.open()
  world.model.workerDelay = 0
  director(plain)
  await world.state(session, 'an offer for the queued turn', state => state.status === 'ready', 40_000)
})

test('Off takes the row away and stops the calls; the model is kept, and one action brings it back (D2)', async () => {
  await action(page, 'off').click()
  await showsNothing(page)
  const calls = world.model.directorCalls().length
  await send(page, 'Work without suggestions')
  await until('the turn to end', async () => (await frame()).state.status === 'off' && world.turns(session).at(-1)?.reason === 'completed')
  assert.equal(world.model.directorCalls().length, calls)
  await reload()
  await send(page, '/suggest on')
  await shows(page, 'ready')
  assert.equal((await frame()).state.model.id, DIRECTOR)
})

test('clearing the model removes the bar and every call (D1)', async () => {
  await send(page, '/suggest model clear')
  await showsNothing(page)
})

test('the bar wrote nothing to the session\'s log, and nothing broke in the page', () => {
  const log = world.log(session)
  const typed = log.filter(event => event.type === 'command/run').length
  assert.ok(typed <= 6, `only typed commands are in the log: ${typed}`)
  assert.equal(log.filter(event => /suggest/.test(event.type)).length, 0)
  assert.deepEqual(browser.problems, [])
  assert.doesNotMatch(world.output, /unhandled|TypeError|Error:/i)
})
