// Every key (rule C10), and when it does nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { card, cardOf, open, ordinaryBoard, says, settled, shot, state, until } from '../lib/world.mjs'

const three = () => ['one', 'two', 'three', 'four'].map((name, index) => card(`s${index}`, `Fix src/${name}.rs`, { created_at: Date.now() - index * 1000 }))
const drawnAt = (page, key) => page.locator('.card', { has: page.locator('.key', { hasText: key }) }).locator('h3').textContent()

for (const key of ['1', '2', '3']) {
  test(`key ${key} accepts the card that it is drawn on`, async t => {
    const { world, page, cards } = { ...(await open(t, { cards: three() })) }
    await settled(page)
    const title = await drawnAt(page, key)
    await page.keyboard.press(key)
    await page.waitForSelector('#intent:visible')
    assert.ok((await page.locator('#intent-prompt').textContent()).startsWith(title))
    const taken = world.kept().cards.filter(card => card.state === 'accepted')
    assert.deepEqual(taken.map(card => card.title), [title])
    void cards
  })
}

test('stale cards have no key, and a key without a card does nothing', async t => {
  const cards = [card('s1', 'Fix src/one.rs', { stale: true }), card('s1', 'Fix src/two.rs')]
  const { world, page } = await open(t, { cards })
  await settled(page)
  assert.equal(await page.locator('.card .key:visible').count(), 1)
  assert.equal(await drawnAt(page, '1'), 'Fix src/two.rs')
  await page.keyboard.press('2')
  await says(page, 'no card for this key')
  assert.ok(world.kept().cards.every(card => card.state === 'open'))
})

test('a key that has just come to stand for another card accepts nothing (F175)', async t => {
  const cards = three()
  const { world, page } = await open(t, { cards })
  await settled(page)
  const urgent = card('s9', 'Fix src/urgent.rs', { priority: 'high' })
  world.keep([...cards, urgent])
  await page.evaluate(() => new Promise(resolve => {
    const seen = new MutationObserver(() => {
      if (![...document.querySelectorAll('.card')].some(card => card.querySelector('h3').textContent.includes('urgent') && card.querySelector('.key').textContent === '1')) return
      seen.disconnect()
      document.dispatchEvent(new KeyboardEvent('keydown', { key: '1', code: 'Digit1', bubbles: true }))
      resolve()
    })
    seen.observe(document.querySelector('#groups'), { childList: true, subtree: true, characterData: true })
  }))
  await says(page, 'just changed')
  assert.ok(world.kept().cards.every(card => card.state === 'open'), 'neither the old card nor the new one')
  await settled(page)
  await page.keyboard.press('1')
  await page.waitForSelector('#intent:visible')
  assert.equal(state(world, urgent), 'accepted')
})

test('Alt+X dismisses all, Alt+R focuses the reply', async t => {
  const { world, page, cards } = await ordinaryBoard(t)
  await page.keyboard.press('Alt+r')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'reply-text')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Alt+x')
  await says(page, '5 cards dismissed')
  assert.ok(cards.every(card => state(world, card) === 'dismissed'))
})

test('nothing happens while typing, composing, holding a key, with a modifier, or in a dialog', async t => {
  const { world, page } = await ordinaryBoard(t)
  await settled(page)
  await page.locator('#reply-text').focus()
  await page.keyboard.type('1 2 3')
  await page.keyboard.press('Alt+x')
  assert.match(await page.locator('#reply-text').inputValue(), /^1 2 3/)
  await page.locator('#reply-session').focus()
  await page.keyboard.press('1')
  await cardOf(page, 'Cover the empty list').locator('select').focus()
  await page.keyboard.press('2')
  await page.locator('#board').focus()
  const key = init => page.evaluate(init => document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })), init)
  await key({ key: '1', isComposing: true })
  await key({ key: '1', keyCode: 229 })
  await key({ key: '1', repeat: true })
  for (const modifier of ['ctrlKey', 'metaKey', 'altKey']) await key({ key: '1', code: 'Digit1', [modifier]: true })
  await page.locator('#dismiss-all').click()
  await page.keyboard.press('1')
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog', { state: 'hidden' })
  // The reply is the proof that everything before it was seen.
  await world.ask('GET', '/api/cards')
  assert.ok(world.kept().cards.every(card => card.state === 'open'))
  assert.equal(await page.locator('#intent').isVisible(), false)
})

test('the board is used with the keyboard alone', async t => {
  const { world, page, cards } = await ordinaryBoard(t)
  await page.evaluate(() => document.activeElement.blur())
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip')
  await page.keyboard.press('Enter')
  const reach = async wanted => {
    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press('Tab')
      if (await page.evaluate(wanted => document.activeElement.matches(wanted), wanted)) return
    }
    throw new Error(`never reached ${wanted}`)
  }
  await reach('.card [data-act=dismiss]')
  const title = await page.evaluate(() => document.activeElement.closest('.card').querySelector('h3').textContent)
  await page.keyboard.press('Enter')
  const gone = cards.find(card => card.title === title)
  await until('it is dismissed', () => state(world, gone) === 'dismissed')
  await reach('#reply-text')
  await page.keyboard.type('Go on')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Control+Enter')
  await page.waitForSelector('#intent:visible')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'intent-copy')
})

test('? shows the keys, which do nothing meanwhile; Escape closes them', async t => {
  const { world, page } = await open(t, { cards: [card('s1', 'Fix src/one.rs')], idle: ['s1'] })
  await settled(page)
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keys' })
  await help.waitFor()
  for (const key of ['1', 'Alt+X', 'Alt+R', 'Ctrl+Enter', '?']) await help.getByText(key, { exact: true }).waitFor()
  await page.keyboard.press('1')
  await page.keyboard.press('Alt+x')
  await shot(page, 'keys')
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'hidden' })
  assert.ok(world.kept().cards.every(card => card.state === 'open'))
  await page.locator('#reply-text').focus()
  await page.keyboard.press('?')
  assert.equal(await page.locator('#reply-text').inputValue(), '?', 'it can be written')
  assert.equal(await help.isVisible(), false)
})

test('the focus goes on to what can be done when its card turns stale', async t => {
  const cards = [card('s1', 'Fix src/one.rs'), card('s1', 'Fix src/two.rs')]
  const { world, page } = await open(t, { cards })
  await cardOf(page, 'one').locator('[data-act=accept]').focus()
  world.keep([{ ...cards[0], stale: true }, cards[1]])
  await page.waitForSelector('.card.stale')
  const focused = await page.evaluate(() => [document.activeElement.dataset.act, document.activeElement.closest('.card') !== null])
  assert.deepEqual(focused[1], true, 'it is on a card still')
  assert.ok(['accept', 'dismiss'].includes(focused[0]))
})
