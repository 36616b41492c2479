// The same in the host's other language.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { action, bar, openBrowser, prompt, send, sessionOf, shot, shows } from '../lib/browser.mjs'
import { DIRECTOR, REVIEWER } from '../lib/model-server.mjs'
import { until } from '../lib/wait.mjs'
import { makeWorld } from '../lib/world.mjs'

test('every state speaks Chinese where the page does', async () => {
  const world = await makeWorld({ row: { advisor: REVIEWER } })
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
    await page.locator('[data-suggest-advisor]').click()
    const panel = page.locator('[data-suggest-advisor-panel]')
    await until('the reviewer', async () => /审阅模型[^]*mock-reviewer\/reviewer-1[^]*全局默认[^]*固定此模型[^]*使用全局默认/.test(await panel.innerText()))
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.locator('button:has-text("设置")').first().click()
    await page.getByRole('dialog').getByText('插件', { exact: true }).first().click()
    await page.getByRole('tab', { name: '顾问' }).click()
    await until('the settings', async () => /提供方[^]*审阅提示词[^]*静默轮数[^]*保存/.test(await page.locator('[data-suggest-card]').innerText()))
    await page.keyboard.press('Escape')
    await send(page, '/suggest model clear')
    world.model.predict = () => ({ text: 'NEXT: 再运行一次测试' })
    await send(page, '给 --json 选项写文档')
    await page.locator('[data-suggest-tip-text]').waitFor()
    assert.match(await page.locator('[data-suggest-tip]').innerText(), /可能的下一句/)
    assert.deepEqual(browser.problems, [])
  } finally {
    await browser?.close()
    await world.close()
  }
})
