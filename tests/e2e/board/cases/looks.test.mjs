// Themes, widths, languages, roles and contrast.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ordinaryBoard, shot } from '../lib/world.mjs'

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
