// A board of its own: the real command with a store, a token and logs in a fresh folder.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowser } from './browser.mjs'
import { until } from '../../dsh/lib/wait.mjs'

export { until }

let made = 0
/** A card as the store keeps it. */
export const card = (session, title, more = {}) => {
  made += 1
  const number = made.toString(16).padStart(8, '0')
  return {
    id: `${session}-${number}`, session, title, text: 'The test failed in the last turn and nothing touched it since.', prompt: `${title} and say what you changed.`,
    category: 'follow-up', priority: 'medium', origin: 'local', turn: 1, fingerprint: `${number}${number}`, created_at: Date.now() - 120_000, updated_at: Date.now(), state: 'open', stale: false, ...more,
  }
}

export const summary = (session, text, more = {}) => ({ session, text, origin: 'local', turn: 1, created_at: Date.now() - 60_000, updated_at: Date.now() - 60_000, ...more })

export class World {
  constructor() {
    this.dir = mkdtempSync(join(tmpdir(), 'suggest-board-'))
    this.store = join(this.dir, 'suggestions.json')
    this.tokenFile = join(this.dir, 'token')
    this.token = 'e2e'.padEnd(48, '0123456789abcdef')
    this.logs = join(this.dir, 'logs')
    mkdirSync(this.logs)
    writeFileSync(this.tokenFile, this.token)
    chmodSync(this.tokenFile, 0o600)
    this.links = []
    this.port = 0
    this.seq = 1
  }

  /** What the store holds from now on, as another process would write it. */
  keep(cards, summaries = []) {
    this.seq = Math.max(this.seq, this.kept()?.seq ?? 0) + 1
    const next = `${this.store}.next`
    writeFileSync(next, JSON.stringify({ version: 1, seq: this.seq, cards, summaries, dismissed: this.kept()?.dismissed ?? [], counts: {} }))
    renameSync(next, this.store)
  }

  kept() {
    return existsSync(this.store) ? JSON.parse(readFileSync(this.store, 'utf8')) : undefined
  }

  async start() {
    const args = ['serve', '--port', String(this.port), '--token-file', this.tokenFile, '--store', this.store, this.logs]
    const env = { ...process.env, HOME: this.dir, XDG_CONFIG_HOME: join(this.dir, 'config'), XDG_STATE_HOME: join(this.dir, 'state') }
    this.process = spawn(process.env.SUGGEST_BIN, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.errors = ''
    this.process.stderr.on('data', data => { this.errors += data })
    const before = this.links.length
    this.process.stdout.on('data', data => { this.links.push(...String(data).split('\n').filter(line => line.startsWith('http'))) })
    await until(`the link is printed; said so far: ${this.errors}`, () => this.links.length > before || (this.process.exitCode !== null && this.process.exitCode))
    if (this.links.length === before) throw new Error(`the command ended: ${this.errors}`)
    this.base = new URL(this.link).origin
    this.port = new URL(this.link).port
    return this
  }

  get link() { return this.links.at(-1) }

  async stop(signal = 'SIGTERM') {
    const ended = new Promise(resolve => this.process.once('exit', (code, by) => resolve(code ?? by)))
    this.process.kill(signal)
    return ended
  }

  async ask(method, path, body) {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' }
    const answer = await fetch(this.base + path, { method, headers, body: body && JSON.stringify(body) })
    return { status: answer.status, ...(await answer.json()) }
  }

  /** Tells what a session does; it is on the board from then on. */
  tell(session, events, more = {}) { return this.ask('POST', `/api/sessions/${session}/events`, { events, ...more }) }

  idle(session, name = session) { return this.tell(session, [{ type: 'idle' }], { name, workspace: `/home/me/${name}` }) }

  async end() {
    if (this.process?.exitCode === null && this.process.signalCode === null) await this.stop()
    rmSync(this.dir, { recursive: true, force: true })
  }
}

/** A world with a page that is open on it. */
export async function open(t, { cards = [], summaries = [], idle = [], ...view } = {}) {
  const world = new World()
  world.keep(cards, summaries)
  await world.start()
  t.after(() => world.end())
  for (const session of idle) await world.idle(session)
  const browser = await openBrowser(view)
  t.after(() => browser.close())
  const page = browser.context.pages()[0] ?? await browser.context.newPage()
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.base })
  await page.goto(world.link)
  await live(page)
  await until('all cards are drawn', async () => (await page.locator('.card').count()) === cards.length)
  return { world, browser, page }
}

export const live = page => page.waitForSelector('html[data-connection=live]')
export const cardOf = (page, title) => page.locator('.card', { has: page.locator('h3', { hasText: title }) })
export const says = (page, text) => page.waitForFunction(text => document.querySelector('#live').textContent.includes(text), text)
/** Waits until the keys stand for what is drawn: shortly after a change they do nothing. */
export const settled = page => page.waitForTimeout(450)
export const state = (world, wanted) => world.kept().cards.find(card => card.id === wanted.id)?.state

export async function shot(page, name, full = false) {
  const dir = process.env.SUGGEST_E2E_SHOTS
  if (dir === undefined) return
  mkdirSync(dir, { recursive: true })
  await page.screenshot({ path: join(dir, `${name}.png`), fullPage: full })
}

/** The board as people see it on a busy day. */
export function ordinary() {
  const cards = [
    card('s1', 'Fix `reads_nested_lists`', { priority: 'high', origin: 'model', category: 'fix', text: 'It expects three items and gets two since the loop in src/parser.rs changed.', prompt: 'Fix the failing test reads_nested_lists in tests/lists.rs. Start with the loop in src/parser.rs that skips the last separator, and keep the public signature of parse_list.' }),
    card('s1', 'Cover the empty list', { text: 'src/parser.rs has a branch for `[]` that no test reaches.', prompt: 'Add a test for the empty list to tests/lists.rs.', category: 'test' }),
    card('s1', 'Answer the open question about depth', { priority: 'low', stale: true, prompt: 'Decide how deep lists may nest in src/parser.rs, and return an error beyond that.' }),
    card('s2', '修复登录页的错误提示', { priority: 'high', origin: 'model', text: '表单校验失败时没有任何提示。', prompt: '在 web/login.tsx 中为校验失败的字段显示错误提示，并更新 login.test.tsx。' }),
    card('s2', 'Remove the flag `legacyAuth`', { prompt: 'Remove the flag legacyAuth from web/config.ts and every reader of it.' }),
  ]
  const summaries = [
    summary('s1', 'The parser reads nested lists now. One test of three still fails, and the depth is not bounded.', { follow_ups: ['Bound the depth', 'Tell about it in the changelog'] }),
    summary('s2', 'The login form checks its fields on the client.', { origin: 'model' }),
  ]
  return { cards, summaries }
}

export async function ordinaryBoard(t, view = {}) {
  const { cards, summaries } = ordinary()
  const opened = await open(t, { cards, summaries, ...view })
  await opened.world.idle('s1', 'list-parser')
  await opened.world.idle('s2', 'web-login')
  await opened.world.tell('s3', [{ type: 'turn_started', turn: 4 }], { name: 'docs-site' })
  await opened.world.idle('s4', 'release-notes')
  await until('the sessions are drawn', async () => (await opened.page.locator('#other-list li').count()) === 2)
  await opened.page.waitForFunction(() => [...document.querySelectorAll('.group h2')].some(head => head.textContent === 'web-login'))
  return { ...opened, cards }
}
