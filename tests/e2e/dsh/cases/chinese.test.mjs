// The same bar in the host's other language.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { action, bar, openBrowser, prompt, send, sessionOf, shot, shows } from '../lib/browser.mjs'
import { DIRECTOR } from '../lib/model-server.mjs'
import { makeWorld } from '../lib/world.mjs'

test('every state speaks Chinese where the page does', async () => {
  const world = await makeWorld()
  let browser
  try {
    await world.boot()
    browser = await openBrowser({ locale: 'zh-CN' })
    const page = await browser.open(world.base)
    world.model.title = '报告命令'
    await send(page, `/suggest model ${DIRECTOR}`)
    await shows(page, 'idle')
    const session = await sessionOf(page)
    assert.match(await bar(page).innerText(), /暂无建议/)
    world.model.director = () => ({ text: 'NEXT: 为 src/report.rs 中的 --json 选项添加测试' })
    await send(page, '给 report 命令添加 --json 选项')
    await shows(page, 'ready')
    assert.match(await bar(page).innerText(), /推荐的下一步[^]*运行[^]*自动运行[^]*关闭/)
    assert.match(await prompt(page).innerText(), /添加测试/)
    await shot(page, 'chinese')
    world.model.director = () => ({ status: 401 })
    await action(page, 'retry').count()
    await world.verb(session, 'retry')
    await shows(page, 'failed')
    assert.match(await bar(page).innerText(), /建议失败[^]*凭据无效/)
    await shot(page, 'chinese-failed')
    assert.deepEqual(browser.problems, [])
  } finally {
    await browser?.close()
    await world.close()
  }
})
