// The link, the token, and a server that goes and comes under the page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../lib/browser.mjs'
import { World, card, cardOf, live, open, settled, shot, state, until } from '../lib/world.mjs'

test('the link opens the page once, leaves the address, and the next one is printed', async t => {
  const { world, page } = await open(t, { cards: [card('s1', 'Fix src/parser.rs')] })
  assert.equal(page.url(), `${world.base}/`)
  await until('the next link is printed', () => world.links.length === 2)
  const used = world.links[0]
  const stranger = await openBrowser()
  t.after(() => stranger.close())
  const other = stranger.context.pages()[0]
  await other.goto(used)
  await other.getByText('This link was used already').waitFor()
  assert.equal(await other.locator('.card').count(), 0)
  await shot(other, 'locked')
  await other.locator('#token').fill('wrong'.repeat(10))
  await other.getByRole('button', { name: 'Open' }).click()
  await other.getByText('This is not the token').waitFor()
  await other.locator('#token').fill(world.token)
  await other.getByRole('button', { name: 'Open' }).click()
  await live(other)
  await other.waitForSelector('.card')
  await other.reload()
  await live(other)
})

test('a server that restarts under the page loses nothing, and the page goes on by itself', async t => {
  const cards = [card('s1', 'Fix src/one.rs', { priority: 'high' }), card('s1', 'Fix src/two.rs')]
  const { world, page } = await open(t, { cards, idle: ['s1'] })
  await world.ask('POST', `/api/cards/${cards[0].id}/dismiss`)
  await until('one is left', async () => (await page.locator('.card').count()) === 1)
  await world.stop('SIGKILL')
  await page.waitForSelector('html[data-connection=lost]')
  await page.getByText('The connection is lost').waitFor()
  assert.equal(await page.locator('.card').count(), 1, 'what was seen last stays')
  await shot(page, 'lost')
  await cardOf(page, 'two').locator('[data-act=accept]').click()
  await page.getByText('the server cannot be reached').first().waitFor()
  await world.start()
  await live(page)
  assert.equal(await page.locator('#banner').isVisible(), false)
  assert.equal(await page.locator('.card').count(), 1)
  await settled(page)
  await page.keyboard.press('1')
  await page.waitForSelector('#intent:visible')
  assert.equal(state(world, cards[1]), 'accepted')
})

test('a server with another token locks the page', async t => {
  const { world, page } = await open(t, { cards: [card('s1', 'Fix src/parser.rs')] })
  await world.stop()
  const { writeFileSync } = await import('node:fs')
  world.token = 'another'.padEnd(48, '0')
  writeFileSync(world.tokenFile, world.token)
  await world.start()
  await page.waitForSelector('html[data-connection=locked]')
  await page.getByText('Open the board').waitFor()
  assert.equal(await page.locator('.card').count(), 0, 'nothing of before is shown to whoever has no token')
})

test('the page says that it loads until the first snapshot is there', async t => {
  const { world, page } = await open(t, { cards: [card('s1', 'Fix src/parser.rs')] })
  let release
  const held = new Promise(resolve => { release = resolve })
  await page.route('**/words.js', async route => { await held; await route.continue() })
  const loading = page.reload()
  await page.waitForSelector('#loading', { state: 'visible' })
  release()
  await loading
  await live(page)
  assert.equal(await page.locator('#loading').isVisible(), false)
  assert.equal(await world.stop('SIGINT'), 0, 'Ctrl-C is how it ends')
})

test('a store that cannot be read is set aside, and the page says where (F176)', async t => {
  const { writeFileSync, readdirSync, readFileSync } = await import('node:fs')
  const world = new World()
  t.after(() => world.end())
  writeFileSync(world.store, '{"version": 1, "cards": [{"id"')
  await world.start()
  const browser = await openBrowser()
  t.after(() => browser.close())
  const page = browser.context.pages()[0]
  await page.goto(world.link)
  await live(page)
  await page.locator('#notices li', { hasText: 'is damaged' }).waitFor()
  const aside = readdirSync(world.dir).find(name => name.includes('set-aside'))
  assert.equal(readFileSync(`${world.dir}/${aside}`, 'utf8'), '{"version": 1, "cards": [{"id"')
  await shot(page, 'notice')
})
