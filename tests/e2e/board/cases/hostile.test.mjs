// What a model, a log or another process may have written is text and nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { card, open, shot, summary, until } from '../lib/world.mjs'

const markup = `<img src=x onerror="window.hit=1"><script>window.hit=2</script><a href="javascript:window.hit=3">go</a></pre></li><style>*{display:none}</style>{{7*7}}&lt;b&gt;`

test('markup and scripts are shown as they are', async t => {
  const mine = card('s<b>1', `T ${markup}`, { text: `R ${markup}`, prompt: `P ${markup}`, category: markup, files: [markup] })
  mine.id = 's~3c.b~3e.1-00000001'
  const { world, browser, page } = await open(t, { cards: [mine], summaries: [summary('s<b>1', `S ${markup}`, { follow_ups: [`F ${markup}`] })] })
  await world.tell(encodeURIComponent('s<b>1'), [{ type: 'idle' }], { name: `N ${markup}` })
  await page.waitForFunction(() => document.querySelector('.group h2').textContent.startsWith('N '))
  for (const [place, text] of [['h3', `T ${markup}`], ['.reason', `R ${markup}`], ['.prompt', `P ${markup}`], ['.category', markup]]) {
    assert.equal(await page.locator(`.card ${place}`).textContent(), text)
  }
  assert.equal(await page.locator('.told').textContent(), `S ${markup}`)
  assert.equal(await page.evaluate(() => document.querySelectorAll('#board img, #board script, #board style, #board a').length), 0)
  await page.locator('.card [data-act=accept]').click()
  await page.waitForSelector('#intent:visible')
  assert.equal(await page.locator('#intent-prompt').textContent(), `P ${markup}`)
  assert.equal(await page.evaluate(() => window.hit), undefined)
  assert.deepEqual(browser.problems, [])
})

test('characters that hide or turn text are named, and Arabic keeps its direction', async t => {
  const turned = 'delete \u202Egpj.evil\u202C now\u200B\u2066x\u2069\u0007\u200F\u061C\u{E0101}'
  const cards = [card('s1', turned, { prompt: turned }), card('s1', 'أصلح الملف src/parser.rs', { text: 'الاختبار يفشل', prompt: 'أصلح الاختبار reads_nested_lists في tests/lists.rs' })]
  const { page } = await open(t, { cards, idle: ['s1'] })
  const named = await page.locator('.card .prompt').first().locator('.hidden-character').allTextContents()
  assert.deepEqual(named, ['U+202E', 'U+202C', 'U+200B', 'U+2066', 'U+2069', 'U+0007', 'U+200F', 'U+061C', 'U+E0101'])
  assert.equal(await page.evaluate(() => /[\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent)), false)
  const arabic = page.locator('.card', { hasText: 'أصلح' })
  assert.equal(await arabic.locator('.prompt').evaluate(element => getComputedStyle(element).direction), 'rtl')
  assert.equal(await arabic.locator('.acts').evaluate(element => getComputedStyle(element).direction), 'ltr')
  await shot(page, 'hostile-bidi')
  // What is copied is what the card holds, byte for byte.
  await page.locator('.card [data-act=accept]').first().click()
  await page.locator('#intent-copy').click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), turned)
})

test('ten thousand characters leave the board usable', async t => {
  const long = 'word '.repeat(2000)
  const unbroken = 'x'.repeat(10_000)
  const cards = [card('s1', unbroken, { text: unbroken, prompt: long, category: unbroken }), card('s1', 'Fix src/parser.rs')]
  for (const width of [1280, 360]) {
    const { page } = await open(t, { cards, width, height: 740, idle: ['s1'], summaries: [summary('s1', unbroken)] })
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width)
    const height = await page.locator('.card').first().evaluate(element => element.getBoundingClientRect().height)
    assert.ok(height < 760, `${height}`)
    await page.locator('.card [data-act=dismiss]').last().click()
    await until('it is gone', async () => (await page.locator('.card').count()) === 1)
    await shot(page, `hostile-long-${width}`)
  }
})

test('no other page reaches the board, and it stands in no frame', async t => {
  const { world, browser, page } = await open(t, { cards: [card('s1', 'Fix src/parser.rs')] })
  const { createServer } = await import('node:http')
  const evil = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end(`<iframe src="${world.base}/"></iframe>`))
  await new Promise(resolve => evil.listen(0, '127.0.0.1', resolve))
  t.after(() => evil.close())
  const other = await browser.context.newPage()
  await other.goto(`http://127.0.0.1:${evil.address().port}/`)
  const tried = await other.evaluate(async ({ base, token }) => {
    const attempt = async work => { try { return await work() } catch (error) { return error.name } }
    return [
      await attempt(async () => (await fetch(`${base}/api/cards`, { headers: { authorization: `Bearer ${token}` } })).status),
      await attempt(async () => (await fetch(`${base}/api/cards/dismiss-all`, { method: 'POST', mode: 'no-cors' })).type),
      await new Promise(resolve => { const socket = new WebSocket(`${base.replace('http', 'ws')}/api/ws`, ['suggest.board.v1', `bearer.${token}`]); socket.onopen = () => resolve('open'); socket.onerror = () => resolve('refused') }),
    ]
  }, { base: world.base, token: world.token })
  assert.deepEqual([tried[0], tried[2]], ['TypeError', 'refused'])
  assert.ok(world.kept().cards.every(card => card.state === 'open'))
  await until('the frame was refused', async () => other.frames().slice(1).every(frame => frame.url().startsWith('chrome-error')))
  assert.equal(await page.locator('.card').count(), 1)
})
