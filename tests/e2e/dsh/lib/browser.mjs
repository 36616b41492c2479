// A Chromium with a profile of its own, and the bar as a person finds it.
import { createRequire } from 'node:module'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './wait.mjs'
import { scratch } from './world.mjs'

const { chromium } = createRequire(join(process.env.SUGGEST_E2E_CACHE, 'driver/'))('playwright-core')

export async function openBrowser({ locale = 'en-US', colorScheme = 'light', width = 1280, height = 860 } = {}) {
  const dir = scratch('dsh-e2e-chromium-')
  const context = await chromium.launchPersistentContext(dir, {
    executablePath: process.env.CHROMIUM,
    headless: true,
    viewport: { width, height },
    locale,
    colorScheme,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
  // Bounds, not measures: a busy machine of CI loads a page in half a minute.
  context.setDefaultTimeout(30_000)
  context.setDefaultNavigationTimeout(60_000)
  const problems = []
  const watch = page => {
    page.on('pageerror', error => problems.push(`page error: ${String(error).slice(0, 300)}`))
    page.on('console', message => { if (message.type() === 'error' || /dsh-suggest|slot entry crashed/.test(message.text())) problems.push(`${message.type()}: ${message.text().slice(0, 300)}`) })
  }
  context.on('page', watch)
  const browser = {
    context,
    problems,
    async open(base, name) {
      const page = context.pages().find(page => page.url() === 'about:blank') ?? await context.newPage()
      if (page.listenerCount('pageerror') === 0) watch(page)
      await page.goto(base)
      await page.waitForSelector('textarea')
      if (name !== undefined) await select(page, name)
      return page
    },
    async close() {
      await context.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
  return browser
}

/** Opens a session by its title in the side bar; the model server titles a session after the {{name}} in its first prompt. */
export async function select(page, name) {
  const row = page.locator('[role=treeitem]', { hasText: name })
  await row.first().click()
  await page.waitForFunction(name => [...document.querySelectorAll('[role=treeitem][aria-selected=true]')].some(row => row.textContent.includes(name)), name)
}

export const bar = page => page.locator('[data-suggest]')
export const prompt = page => page.locator('[data-suggest-prompt]')
export const action = (page, name) => page.locator(`[data-suggest-action="${name}"]`)
export const note = (page, name) => page.locator(`[data-suggest-note="${name}"]`)
export const composer = page => page.locator('textarea').first()

/** The session whose bar the page shows. */
export const sessionOf = page => bar(page).getAttribute('data-session')

export const shows = (page, status, ms = 60_000) => page.waitForSelector(`[data-suggest="${status}"]`, { timeout: ms })
/** The bar shows this offer, collapsed or not. */
export const offers = (page, text) => page.waitForFunction(text => document.querySelector('[data-suggest="ready"] [data-suggest-prompt]')?.textContent === text, text)
export const showsNothing = (page, ms = 30_000) => page.waitForSelector('[data-suggest]', { state: 'detached', timeout: ms })

export async function send(page, text) {
  const box = composer(page)
  await box.click()
  await box.fill(text)
  await until('the composer holds the text', async () => (await box.inputValue()) === text)
  // The command menu of the host takes the first Enter for itself unless the line goes on behind the name.
  await page.keyboard.press('Enter')
  await until('the composer is empty again', async () => {
    if ((await box.inputValue()) === '') return true
    await page.keyboard.press('Enter')
    return false
  }, 30_000, 250)
}

export async function shot(page, name, above = 170) {
  const dir = process.env.SUGGEST_E2E_SHOTS
  if (dir === undefined) return
  mkdirSync(dir, { recursive: true })
  // What matters is the bar, what stands above it, and the input.
  const { width, height } = page.viewportSize()
  const [top, input] = await Promise.all([bar(page).first().boundingBox({ timeout: 1_000 }).catch(() => null), composer(page).boundingBox()])
  const from = Math.max(0, Math.min(top?.y ?? input.y, input.y) - above)
  const left = width >= 1_000 ? 300 : 0
  await page.screenshot({ path: join(dir, `${name}.png`), clip: { x: left, y: from, width: width - left, height: Math.min(height - from, input.y + input.height + 90 - from) } })
}
