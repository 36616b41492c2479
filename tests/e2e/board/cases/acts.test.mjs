// Every act of a person, by mouse.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { card, cardOf, live, open, ordinaryBoard, says, shot, state, until } from '../lib/world.mjs'

test('a card shows all that is known of it, grouped by session under the summary', async t => {
  const { page } = await ordinaryBoard(t)
  const groups = await page.locator('.group').evaluateAll(list => list.map(group => [group.querySelector('h2').textContent, group.querySelector('.told').textContent, group.querySelectorAll('.card').length]))
  assert.equal(groups.length, 2)
  assert.ok(groups.some(([name, told, cards]) => name === 'list-parser' && told.startsWith('The parser reads') && cards === 3))
  const first = cardOf(page, 'reads_nested_lists')
  for (const text of ['It expects three items', 'Start with the loop', 'High priority', 'Model', 'fix', 'Fresh', '2 min. ago']) await first.getByText(text).first().waitFor()
  assert.match(await cardOf(page, 'open question').locator('.freshness').textContent(), /Stale/)
  assert.equal(await cardOf(page, 'open question').locator('[data-act=accept]').isDisabled(), true)
  assert.equal(await page.locator('#count').textContent(), '5 cards')
  await shot(page, 'board-light')
})

test('accepting shows the prompt and where to send it, and copies it', async t => {
  const { world, page, cards } = await ordinaryBoard(t)
  await cardOf(page, 'reads_nested_lists').locator('[data-act=accept]').click()
  await page.waitForSelector('#intent:visible')
  assert.equal(await page.locator('#intent-prompt').textContent(), cards[0].prompt)
  assert.match(await page.locator('#intent-where').textContent(), /list-parser/)
  await page.locator('#intent-copy').click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), cards[0].prompt)
  assert.equal(state(world, cards[0]), 'accepted')
  await until('the card is gone', async () => (await cardOf(page, 'reads_nested_lists').count()) === 0)
  await shot(page, 'accepted')
  await page.locator('#intent-close').click()
  assert.equal(await page.locator('#intent').isVisible(), false)
})

test('a card is assigned to an idle session; busy ones are no choice', async t => {
  const { world, page, cards } = await ordinaryBoard(t)
  const mine = cardOf(page, 'Cover the empty list')
  const choices = await mine.locator('select option').allTextContents()
  assert.deepEqual([...choices].sort(), ['Choose a session', 'list-parser', 'release-notes', 'web-login'])
  await mine.locator('[data-act=assign]').click()
  assert.equal(await page.evaluate(() => document.activeElement.className), 'assignee', 'without a choice the list is focused')
  await mine.locator('select').selectOption({ label: 'release-notes' })
  await mine.locator('[data-act=assign]').click()
  await page.waitForSelector('#intent:visible')
  assert.match(await page.locator('#intent-where').textContent(), /release-notes/)
  assert.equal(state(world, cards[1]), 'assigned')
})

test('a card is dismissed for good, and the focus goes to the next one', async t => {
  const { world, page, cards } = await ordinaryBoard(t)
  await cardOf(page, 'Cover the empty list').locator('[data-act=dismiss]').click()
  await says(page, 'Dismissed')
  await until('the card is gone', async () => (await cardOf(page, 'Cover the empty list').count()) === 0)
  assert.equal(state(world, cards[1]), 'dismissed')
  assert.ok(await page.evaluate(() => document.activeElement.closest('.card') !== null))
})

test('all cards are dismissed after one question', async t => {
  const { world, page, cards } = await ordinaryBoard(t)
  await page.locator('#dismiss-all').click()
  await page.waitForSelector('dialog[open]')
  await shot(page, 'confirm')
  await page.getByRole('button', { name: 'Keep them' }).click()
  assert.equal(await page.locator('.card').count(), 5)
  await page.locator('#dismiss-all').click()
  await page.locator('dialog .danger').click()
  await says(page, '5 cards dismissed')
  await until('none is left', async () => (await page.locator('.card').count()) === 0)
  assert.ok(cards.every(card => state(world, card) === 'dismissed'))
})

test('a reply becomes a prompt to send', async t => {
  const { page } = await ordinaryBoard(t)
  await page.locator('#reply-session').selectOption({ label: 'web-login' })
  await page.locator('#reply-text').fill('Use the new colours.\nAnd tell me when it is done.')
  await page.locator('#reply-send').click()
  await page.waitForSelector('#intent:visible')
  assert.equal(await page.locator('#intent-prompt').textContent(), 'Use the new colours.\nAnd tell me when it is done.')
  assert.match(await page.locator('#intent-where').textContent(), /web-login/)
  assert.equal(await page.locator('#reply-text').inputValue(), '')
})

test('a card that somebody else took meanwhile is refused with the reason', async t => {
  const mine = card('s1', 'Fix src/parser.rs')
  const { world, page } = await open(t, { cards: [mine], idle: ['s1'] })
  // The page learns of it only after it asked.
  await page.route('**/accept', async route => {
    await world.ask('POST', `/api/cards/${mine.id}/accept`)
    await route.continue()
  })
  await page.locator('.card [data-act=accept]').click()
  await page.getByText('That did not work: it was accepted already').first().waitFor()
})

test('an idle session without cards is asked for some', async t => {
  const { world, page } = await open(t)
  await page.getByText('Nothing to pick yet').waitFor()
  await shot(page, 'empty')
  await world.tell('s1', [
    { type: 'turn_started', turn: 1, origin: 'human' }, { type: 'message', author: 'human', text: 'Make the parser read nested lists' },
    { type: 'tool', name: 'edit', files: ['src/parser.rs'], ok: true }, { type: 'tool', name: 'bash', summary: 'cargo test reads_nested_lists: 1 failed', ok: false },
    { type: 'message', author: 'assistant', text: 'I changed src/parser.rs; `reads_nested_lists` still fails.' },
    { type: 'turn_ended', turn: 1, reason: 'completed' }, { type: 'idle' },
  ], { history: true, name: 'parser' })
  await page.locator('#other-list [data-act=suggest]').click()
  await page.waitForSelector('.card')
  await page.waitForSelector('.summary:visible')
})

test('a session that shows nothing specific says so when it is asked, and one without work says why', async t => {
  const { world, page } = await open(t)
  const turn = text => [{ type: 'turn_started', turn: 1, origin: 'human' }, { type: 'message', author: 'human', text: 'Hello' }, { type: 'message', author: 'assistant', text }, { type: 'turn_ended', turn: 1, reason: 'completed' }, { type: 'idle' }]
  await world.tell('s1', turn('Hello! What shall we do?'), { history: true, name: 'parser' })
  await page.locator('#other-list [data-act=suggest]').click()
  await page.getByText('parser shows nothing specific to do next').first().waitFor()
  await world.tell('s2', [{ type: 'idle' }], { name: 'lexer' })
  await page.locator('#other-list li', { hasText: 'lexer' }).locator('[data-act=suggest]').click()
  await page.getByText('there is no completed work').first().waitFor()
})

test('sessions of one folder are told apart by the end of their ids, also in long lists', async t => {
  const { world, page } = await open(t, { cards: [card('s1', 'Fix src/one.rs')] })
  for (let number = 0; number < 60; number++) await world.idle(`0f0f0f0f-1111-2222-3333-4444555566${number + 10}`, 'workspace')
  await page.locator('#other-list li', { hasText: 'workspace · …55556669' }).waitFor()
  await page.locator('#other-list li', { hasText: 'and 30 more' }).waitFor()
  const select = page.locator('.card .assignee')
  assert.equal(await select.locator('option').count(), 1, 'a long list is filled when somebody comes to it')
  await select.focus()
  await page.waitForFunction(() => document.querySelector('.card .assignee').options.length === 61)
  await select.selectOption('0f0f0f0f-1111-2222-3333-444455556642')
  await page.locator('.card [data-act=assign]').click()
  await page.getByText('Send this prompt to workspace · …55556642').waitFor()
})

test('a session log that grows in a watched folder gets its cards', async t => {
  const { world, page } = await open(t)
  const { appendFileSync } = await import('node:fs')
  const log = `${world.logs}/mine.jsonl`
  const line = event => appendFileSync(log, `${JSON.stringify(event)}\n`)
  line({ type: 'turn_started', turn: 1, origin: 'human' })
  line({ type: 'message', author: 'human', text: 'Make the parser read nested lists' })
  await page.locator('#other-list li', { hasText: 'mine' }).waitFor()
  line({ type: 'tool', name: 'edit', files: ['src/parser.rs'], ok: true })
  line({ type: 'tool', name: 'bash', summary: 'cargo test reads_nested_lists: 1 failed', ok: false })
  line({ type: 'message', author: 'assistant', text: 'I changed src/parser.rs; `reads_nested_lists` still fails.' })
  line({ type: 'turn_ended', turn: 1, reason: 'completed' })
  line({ type: 'idle' })
  await page.waitForSelector('.group[data-session=mine] .card')
})

test('nothing of this made the browser complain', async t => {
  const { browser, page } = await ordinaryBoard(t)
  await page.reload()
  await live(page)
  assert.deepEqual(browser.problems, [])
})
