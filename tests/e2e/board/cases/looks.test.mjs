// Themes, widths, languages, roles and contrast.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { World, card, cardOf, open, ordinaryBoard, says, shot } from '../lib/world.mjs'
import { openBrowser } from '../lib/browser.mjs'

/** The contrast of every visible text with what is behind it; what is below the bound is named. */
const faint = page => page.evaluate(() => {
  const rgb = text => { const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true }); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data] }
  const light = ([r, g, b]) => [r, g, b].map(value => value / 255).map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4).reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0)
  const behind = element => { for (let at = element; at; at = at.parentElement) { const colour = rgb(getComputedStyle(at).backgroundColor); if (colour[3] === 255) return colour } return [255, 255, 255] }
  const found = []
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim() !== '')
    if (!own || !element.checkVisibility() || element.closest('.unseen, .skip, :disabled, option')) continue
    const [one, other] = [light(rgb(getComputedStyle(element).color)), light(behind(element))].sort((a, b) => b - a)
    const ratio = (one + 0.05) / (other + 0.05)
    if (ratio < 4.5) found.push(`${element.tagName}.${element.className} "${element.textContent.slice(0, 20)}" ${ratio.toFixed(2)}`)
  }
  return found
})

for (const colorScheme of ['light', 'dark']) {
  test(`the ${colorScheme} theme is that of the browser, and every text can be read`, async t => {
    const { page } = await ordinaryBoard(t, { colorScheme })
    const [red] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number))
    assert.equal(red > 128, colorScheme === 'light')
    assert.deepEqual(await faint(page), [])
    await shot(page, `board-${colorScheme}`)
  })
}

test('360 pixels are enough: nothing overflows, every control can be hit', async t => {
  const { page } = await ordinaryBoard(t, { width: 360, height: 740 })
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
  const small = await page.evaluate(() => [...document.querySelectorAll('button, select, textarea, input')].filter(element => element.checkVisibility()).map(element => [element.textContent.slice(0, 20), element.getBoundingClientRect()]).filter(([, box]) => box.height < 32 || box.width < 32 || box.right > 360 || box.left < 0).map(([name]) => name))
  assert.deepEqual(small, [])
  await shot(page, 'board-360')
  await page.locator('.card').nth(1).scrollIntoViewIfNeeded()
  await shot(page, 'board-360-cards')
})

test('a Chinese browser reads Chinese', async t => {
  const { page } = await ordinaryBoard(t, { locale: 'zh-CN', colorScheme: 'dark' })
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN')
  const left = await page.evaluate(() => [...document.querySelectorAll('[data-word], button')].map(element => element.textContent.trim()).filter(text => /^[A-Za-z ]+$/.test(text)))
  assert.deepEqual(left, [])
  await page.getByText('优先级：高').first().waitFor()
  await page.locator('.category', { hasText: '修复' }).waitFor()
  await shot(page, 'board-chinese')
})

test('other languages read English', async t => {
  const { page } = await ordinaryBoard(t, { locale: 'pt-BR' })
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'en')
})

test('a screen reader finds regions, names and news', async t => {
  const { page } = await ordinaryBoard(t)
  const tree = await page.locator('body').ariaSnapshot()
  for (const wanted of ['banner', 'main', 'contentinfo', 'region "list-parser"', 'heading "list-parser" [level=2]', 'heading "Fix `reads_nested_lists`" [level=3]', 'button "Accept"', 'combobox "Assign to"', 'textbox "Reply', 'status']) {
    assert.ok(tree.includes(wanted), `${wanted} in\n${tree}`)
  }
  const nameless = await page.evaluate(() => [...document.querySelectorAll('input, select, textarea, button')].filter(element => element.checkVisibility() && !(element.labels?.length || element.ariaLabel || element.textContent.trim())).map(element => element.outerHTML.slice(0, 80)))
  assert.deepEqual(nameless, [])
  assert.equal(await page.locator('.card').first().getAttribute('aria-labelledby'), await page.locator('.card h3').first().getAttribute('id'))
  const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map(element => element.id))
  assert.equal(new Set(ids).size, ids.length)
})

for (const colorScheme of ['light', 'dark']) {
  test(`what is left of a lost connection can be read in the ${colorScheme} theme`, async t => {
    const { world, page } = await ordinaryBoard(t, { colorScheme })
    await world.stop('SIGKILL')
    await page.waitForSelector('html[data-connection=lost]')
    assert.deepEqual(await faint(page), [])
    const dimmed = await page.evaluate(() => getComputedStyle(document.querySelector('#groups')))
    assert.equal(dimmed.opacity, '1', 'it is dimmed by its colours')
    await shot(page, `lost-${colorScheme}`)
  })
}

test('a stale card says why it offers nothing but dismissal', async t => {
  const { page } = await ordinaryBoard(t)
  const stale = cardOf(page, 'Answer the open question about depth')
  assert.deepEqual(await stale.locator('button:visible').allTextContents(), ['Dismiss'])
  assert.equal(await stale.locator('select').isVisible(), false)
  await stale.getByText('The session moved on').waitFor()
})

test('on a narrow page the reply takes one row until somebody writes', async t => {
  const { page } = await ordinaryBoard(t, { width: 360, height: 740 })
  const height = async () => (await page.locator('footer').boundingBox()).height
  const atRest = await height()
  assert.ok(atRest < 90, `${atRest} pixels`)
  await page.locator('#reply-text').focus()
  await page.locator('#reply-session').waitFor()
  await page.locator('#reply-text').fill('Go on')
  await page.locator('h1').click()
  assert.ok(await page.locator('#reply-session').isVisible(), 'what was begun stays open')
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
  await shot(page, 'reply-360')
})

test('a notice is shown and told to a screen reader', async t => {
  const { world, page } = await open(t, { cards: [card('s1', 'Fix src/one.rs')] })
  const { writeFileSync } = await import('node:fs')
  writeFileSync(world.store, '{"version":1,')
  await page.locator('#notices li', { hasText: 'is damaged' }).waitFor()
  await says(page, 'is damaged')
})

test('a page without a session says how to get one, and a page that loads says so', async t => {
  const world = new World()
  world.keep([])
  await world.start()
  t.after(() => world.end())
  const browser = await openBrowser()
  t.after(() => browser.close())
  const page = browser.context.pages()[0]
  // The first message of the server comes late.
  let passOn
  const wait = new Promise(resolve => { passOn = resolve })
  await page.routeWebSocket(/api\/ws/, route => { wait.then(() => route.connectToServer()) })
  await page.goto(world.link)
  await page.getByText('Loading the cards').waitFor()
  assert.equal(await page.locator('#loading').getAttribute('aria-busy'), 'true')
  await shot(page, 'loading')
  passOn()
  await page.getByText('No session is seen yet').waitFor()
  assert.equal(await page.locator('#loading').isVisible(), false)
  await shot(page, 'empty-none')
})
