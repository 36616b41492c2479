// Idle cards inside dsh: a session that rests feeds the board's file, and a person takes a card by a typed command.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { action, composer, note, openBrowser, select, send, shot, shows } from '../lib/browser.mjs'
import { DIRECTOR } from '../lib/model-server.mjs'
import { until } from '../lib/wait.mjs'
import { makeWorld } from '../lib/world.mjs'

const openWork = test => `The parser reads lists now, but ${test} fails in src/parser.rs.`
let world, browser, page

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

/** A session of its own with one completed turn that leaves something open, shown in the page. */
async function worked(name, open = 'test_nested_lists') {
  const session = await world.session()
  world.model.says = openWork(open)
  await world.prompt(session, `Make the parser read nested lists {{${name}}}`)
  await world.turnEnds(session, 1)
  world.model.says = undefined
  await page.goto(world.base)
  await page.waitForSelector('[role=treeitem]')
  await until('the title', async () => (await page.locator('[role=treeitem]', { hasText: name }).count()) > 0)
  await select(page, name)
  return session
}

/** What `/suggest cards` lists, once it lists something. */
async function cards(session) {
  let text
  await until('a card', async () => {
    text = (await world.command(session, '/suggest cards')).text
    return /take one with/.test(text)
  })
  const ids = text.split('\n').map(line => /^([0-9a-f]{8}) {2}\S/.exec(line)?.[1]).filter(Boolean)
  return { text, ids, prompts: text.split('\n').filter(line => line.startsWith('  > ')).map(line => line.slice(4)) }
}

const kept = () => JSON.parse(readFileSync(world.cardsFile, 'utf8'))

test('without work there is no card, and the list says when there will be one', async () => {
  const session = await world.session()
  const { kind, text } = await world.command(session, '/suggest cards')
  assert.equal(kind, 'success')
  assert.match(text, /^no card is open; cards come when this session rests/)
  assert.ok(!existsSync(world.cardsFile), 'nothing is written before there is something to keep')
})

test('a session that goes idle has cards from its own facts, without a model and without a call (C1, C5)', async () => {
  const session = await worked('facts')
  const { text, ids, prompts } = await cards(session)
  assert.match(text, /test_nested_lists/)
  assert.match(text, /high · fix · fresh · by the session's own facts/)
  assert.equal(ids.length, prompts.length)
  assert.equal(world.model.directorCalls().length, 0, 'nobody set a model, and nothing is spent')
  // The board's file has the same card at that moment.
  const board = kept().cards.filter(card => card.session === session)
  assert.deepEqual(board.map(card => [card.id.slice(-8), card.prompt]), ids.map((id, at) => [id, prompts[at]]))
})

test('the typed command lists the cards, and accepting one puts its prompt into the input of that page (C8)', async () => {
  const session = await worked('accept')
  const { ids, prompts } = await cards(session)
  await send(page, '/suggest cards')
  await until('the list in the chat', async () => (await page.getByText(/cards?; take one with/).count()) > 0)
  await page.getByText(/cards?; take one with/).last().click().catch(() => {})
  await until('the whole list', async () => (await page.getByText(/by the session's own facts/).count()) > 0, 5_000).catch(() => {})
  await shot(page, 'cards', 640)
  const other = await browser.context.newPage()
  await other.goto(world.base)
  await other.waitForSelector('[role=treeitem]')
  await page.bringToFront()
  const turns = world.turns(session).length
  await composer(page).fill(`/suggest cards accept ${ids[0].slice(0, 4)}`)
  await page.keyboard.press('Enter')
  let pressed = Date.now()
  await until('the prompt in the input', async () => {
    const text = await composer(page).inputValue()
    // The host's own menu takes the first Enter where it is open. One too many would send the prompt that just came.
    const ran = world.log(session).some(event => event.type === 'command/run' && JSON.stringify(event.data).includes('cards accept'))
    if (text.startsWith('/suggest') && !ran && Date.now() - pressed > 4_000) {
      pressed = Date.now()
      await page.keyboard.press('Enter')
    }
    return text === prompts[0]
  }, 60_000, 250)
  await shot(page, 'cards-accepted', 400)
  assert.equal(world.turns(session).length, turns, 'nothing is sent')
  const card = kept().cards.find(card => card.id.endsWith(ids[0]) && card.session === session)
  assert.equal(card.state, 'accepted')
  await other.close()
  const again = await world.command(session, `/suggest cards accept ${ids[0]}`)
  assert.equal(again.kind, 'error')
  assert.match(again.text, /accepted already/)
  // The human sends it, and it is the human's own turn.
  await page.keyboard.press('Enter')
  const sent = await world.turnEnds(session, turns + 1)
  assert.equal(sent.at(-1).messages[0].text, prompts[0])
  assert.equal(sent.at(-1).messages[0].source.kind, 'user')
})

test('the command without words opens a menu, in which a card is picked into the input (C8)', async () => {
  const session = await worked('menu', 'test_long_lists')
  const { ids, prompts } = await cards(session)
  await composer(page).click()
  await composer(page).fill('/suggest')
  await page.keyboard.press('Enter')
  const option = page.getByRole('option', { name: /Fix failing test test_long_lists/ })
  await option.waitFor()
  await shot(page, 'cards-menu', 400)
  await option.click()
  await until('the prompt in the input', async () => (await composer(page).inputValue()) === prompts[0])
  assert.equal(kept().cards.find(card => card.id.endsWith(ids[0]) && card.session === session).state, 'accepted')
  await composer(page).fill('')
})

test('over words that the human typed it asks first, where the bar is there to ask (D11)', async () => {
  const session = await worked('ask')
  await world.command(session, `/suggest model ${DIRECTOR}`)
  await shows(page, 'ready')
  const { ids, prompts } = await cards(session)
  await composer(page).fill('my own words')
  const { text } = await world.command(session, `/suggest cards accept ${ids[0]}`)
  assert.ok(text.endsWith(prompts[0]))
  await note(page, 'ask').waitFor()
  assert.ok((await note(page, 'ask').innerText()).endsWith(prompts[0]), 'what would come in its place is said')
  assert.equal(await composer(page).inputValue(), 'my own words')
  await shot(page, 'cards-ask')
  await action(page, 'replace').click()
  await until('the prompt in the input', async () => (await composer(page).inputValue()) === prompts[0])
  await composer(page).fill('')
  await world.command(session, '/suggest model clear')
})

test('a dismissed card is gone for good, after a restart of dsh, too (C6)', async () => {
  const session = await worked('dismiss')
  const { ids } = await cards(session)
  assert.match((await world.command(session, `/suggest cards dismiss ${ids[0]}`)).text, /dismissed for good/)
  await world.stop()
  await world.boot()
  await page.goto(world.base)
  await page.waitForSelector('[role=treeitem]')
  await select(page, 'dismiss')
  await world.state(session, 'the session again', () => true)
  const { text } = await world.command(session, '/suggest cards')
  assert.ok(!text.includes(ids[0]), text)
  assert.match((await world.command(session, `/suggest cards accept ${ids[0]}`)).text, /dismissed/)
})

test('the board shows the cards of dsh, and what it decides holds in dsh (C6)', async () => {
  // What was dismissed before is not offered again, in no session.
  const session = await worked('board', 'test_empty_lists')
  const { ids } = await cards(session)
  const board = await serve()
  try {
    const headers = { authorization: `Bearer ${board.token}`, 'content-type': 'application/json' }
    const shown = await fetch(`${board.base}/api/cards`, { headers }).then(answer => answer.json())
    const card = shown.cards.find(card => card.session === session && card.id.endsWith(ids[0]))
    assert.ok(card, JSON.stringify(shown).slice(0, 400))
    const taken = await fetch(`${board.base}/api/cards/${encodeURIComponent(card.id)}/accept`, { method: 'POST', headers, body: '{}' })
    assert.equal(taken.status, 200, await taken.text())
    const again = await world.command(session, `/suggest cards accept ${ids[0]}`)
    assert.match(again.text, /accepted already/)
  } finally {
    await board.end()
  }
})

test('a model of the host writes the cards where the row names one, and the list says who wrote them (C2, C3)', async () => {
  await world.stop()
  world.row({ cards: { model: DIRECTOR } })
  await world.boot()
  const wrote = { title: 'Recurse in parse_list', text: 'It is the place where test_deep_lists breaks.', prompt: 'Make test_deep_lists pass by recursing in parse_list of src/parser.rs.', category: 'fix', priority: 'high' }
  world.model.director = () => ({ text: JSON.stringify([wrote]) })
  const calls = world.model.directorCalls().length
  const session = await worked('model', 'test_deep_lists')
  const { text } = await cards(session)
  assert.match(text, /high · fix · fresh · by the model/)
  assert.ok(text.includes(wrote.prompt))
  const asked = world.model.directorCalls().slice(calls)
  assert.equal(asked.length, 1, 'one call for one idle session')
  const quoted = asked[0].messages.map(message => message.text).join('\n')
  assert.match(quoted, /test_deep_lists/)
  for (const secret of ['PRIVATE-INSTRUCTION-FILE', 'system-reminder', 'Current DSH file policy']) assert.ok(!quoted.includes(secret), `the call holds ${secret}`)
})

test('cards that are switched off say so, and a row that is wrong says what is', async () => {
  await world.stop()
  world.row({ cards: { enabled: false } })
  await world.boot()
  const session = await world.session()
  await world.prompt(session, 'Work without cards')
  await world.turnEnds(session, 1)
  assert.match((await world.command(session, '/suggest cards')).text, /cards are off: `cards.enabled` is false/)
})

test('nothing broke in the page', () => {
  assert.deepEqual(browser.problems.filter(problem => !/ERR_|Failed to fetch|WebSocket connection|404/.test(problem)), [])
  assert.doesNotMatch(world.output, /unhandled|TypeError/i)
})

/** `suggest serve` on the same file. */
async function serve() {
  const child = spawn(process.env.SUGGEST_BIN, ['serve', '--no-logs', '--port', '0'], { env: world.env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => { said += text })
  const over = new Promise(resolve => child.on('exit', resolve))
  const base = await until('the board', () => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0])
  const token = readFileSync(join(world.env.XDG_STATE_HOME, 'suggest', 'board-token'), 'utf8').trim()
  return {
    base,
    token,
    end: async () => {
      child.kill('SIGTERM')
      await over
    },
  }
}
