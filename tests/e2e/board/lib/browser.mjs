// A Chromium with a profile of its own.
import { createRequire } from 'node:module'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const { chromium } = createRequire(join(process.env.SUGGEST_E2E_CACHE, 'driver/'))('playwright-core')

export async function openBrowser({ locale = 'en-US', colorScheme = 'light', width = 1280, height = 860 } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'suggest-chromium-'))
  const context = await chromium.launchPersistentContext(dir, {
    executablePath: process.env.CHROMIUM,
    headless: true,
    viewport: { width, height },
    locale,
    colorScheme,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
  context.setDefaultTimeout(10_000)
  const problems = []
  const watch = page => {
    page.on('pageerror', error => problems.push(`page error: ${String(error).slice(0, 300)}`))
    page.on('console', message => { if (message.type() === 'error') problems.push(message.text().slice(0, 300)) })
  }
  context.pages().forEach(watch)
  context.on('page', watch)
  return {
    context,
    problems,
    async close() {
      await context.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
