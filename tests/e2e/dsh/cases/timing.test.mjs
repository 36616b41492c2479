// How long things take, in the real host and a real browser. The numbers are printed; the bounds are wide enough for a
// busy machine and tight enough to notice a mistake.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { offers, openBrowser } from '../lib/browser.mjs'
import { DIRECTOR } from '../lib/model-server.mjs'
import { quantile, until } from '../lib/wait.mjs'
import { makeWorld } from '../lib/world.mjs'

const SOAK = process.env.SUGGEST_E2E_SOAK === '1'
const SAMPLES = 100

const line = (what, values) => `${what}: median ${quantile(values, 0.5).toFixed(1)} ms, 99th percentile ${quantile(values, 0.99).toFixed(1)} ms, ${values.length} samples`

test('from the end of a turn to the model request, and from the reply to the bar', async t => {
  const world = await makeWorld({ row: { promptModel: DIRECTOR } })
  let browser
  try {
    browser = await openBrowser()
    await world.boot()
    const session = await world.session()
    await world.prompt(session, 'Begin {{timing}}')
    await world.offer(session, 1)
    const page = await browser.open(world.base, 'timing')
    await page.evaluate(() => {
      window.seen = {}
      new MutationObserver(() => {
        const text = document.querySelector('[data-suggest="ready"] [data-suggest-prompt]')?.textContent
        if (text) window.seen[text] ??= performance.timeOrigin + performance.now()
      }).observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true })
    })
    // A model that answers at once meets the page while it draws the end of the worker's turn; one that takes its time, as
    // models do, meets a page that rests.
    const series = [{ name: 'of a model that answers at once', delay: 0 }, { name: 'of a model that takes 250 ms', delay: 250 }]
    let turn = 1
    for (const part of series) {
      world.model.directorDelay = part.delay
      part.first = turn + 1
      for (let n = 0; n < SAMPLES; n++) {
        turn += 1
        await world.prompt(session, `Turn ${turn}`)
        await offers(page, await world.offer(session, turn))
      }
      part.last = turn
    }
    await world.turnEnds(session, turn)
    const seen = await page.evaluate(() => window.seen)
    const ends = new Map(world.log(session).filter(event => event.type === 'turn/end').map(event => [event.data.turn, event.time]))
    const leaving = []
    const calls = world.model.directorCalls()
    assert.equal(calls.length, turn, 'one call a turn')
    for (const part of series) {
      part.showing = []
      for (let turn = part.first; turn <= part.last; turn++) {
        const call = calls[turn - 1]
        leaving.push(call.at - ends.get(turn))
        part.showing.push(seen[`Write test number ${turn} for the parser in src/parse.rs`] - call.answeredAt)
      }
    }
    t.diagnostic(line('turn/end to the model request at the model server', leaving))
    for (const { name, showing } of series) t.diagnostic(line(`reply ${name} to the bar`, showing))
    // Times are for reading: what a busy machine makes of them is no fault.
    assert.ok([leaving, ...series.map(({ showing }) => showing)].flat().every(Number.isFinite), 'each turn was measured')
  } finally {
    await browser?.close()
    await world.close()
  }
})

test('the worker\'s own next request is not slowed', async t => {
  const worlds = []
  try {
    worlds.push(await makeWorld({ plugin: false }), await makeWorld({ row: { promptModel: DIRECTOR } }))
    const gaps = [[], []]
    for (const world of worlds) await world.boot()
    const sessions = []
    const told = []
    for (let pair = 0; pair < SAMPLES; pair++) {
      // Interleaved, so that a busy machine is as busy for both; fresh sessions, so that none grows.
      for (const [at, world] of worlds.entries()) {
        if (pair % 10 === 0) {
          sessions[at] = await world.session()
          if (at === 1) told.push(sessions[at])
          await world.prompt(sessions[at], 'Warm up')
          await world.turnEnds(sessions[at], 1)
        }
        world.model.workerDelay = 40
        const before = world.turns(sessions[at]).length
        await world.prompt(sessions[at], 'The first')
        await world.prompt(sessions[at], 'The second')
        await world.turnEnds(sessions[at], before + 2)
        const end = world.log(sessions[at]).filter(event => event.type === 'turn/end').at(-2)
        gaps[at].push(world.model.workerCalls().at(-1).at - end.time)
      }
    }
    t.diagnostic(line('turn/end to the worker\'s next request, without the plugin', gaps[0]))
    t.diagnostic(line('the same with the plugin', gaps[1]))
    // A busy machine may bring the second prompt when the first turn is over; the log says which turns had one waiting.
    const alone = told.map(session => worlds[1].log(session)).flatMap(log => {
      let waiting = 0
      return log.filter(event => {
        if (event.type === 'agent/inbox/spliced' && event.data.target === 'next-turn') waiting += event.data.inserted.length - (event.data.removedCount ?? 0)
        return event.type === 'turn/end' && waiting === 0
      })
    })
    const early = worlds[1].model.directorCalls().length - alone.length
    t.diagnostic(`calls for a turn that a queued prompt followed at once: ${early} of ${gaps[1].length}`)
    // The plugin holds its news back for 100 ms at most; a machine that is busy for longer may see a call now and then.
    assert.ok(early <= gaps[1].length / 4, 'next to no call for a turn that a queued prompt followed at once')
  } finally {
    for (const world of worlds) await world.close()
  }
})

test('a session of 2,000 turns costs no more at its end than at its beginning', { skip: SOAK ? false : 'only in the soak run' }, async t => {
  const world = await makeWorld({ row: { promptModel: DIRECTOR } })
  try {
    await world.boot()
    const session = await world.session()
    const memory = () => [world.child.pid, world.sidecars()[0]].map(pid => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024)
    const marks = []
    for (let turn = 1; turn <= 2_000; turn++) {
      await world.prompt(session, `Turn ${turn}`)
      await world.offer(session, turn)
      if (turn % 500 === 0) {
        const [dsh, sidecar] = memory()
        marks.push({ turn, dsh, sidecar, slice: world.model.directorCalls().at(-1).messages.at(-1).text.length })
        t.diagnostic(`turn ${turn}: dsh ${dsh.toFixed(0)} MiB, sidecar ${sidecar.toFixed(1)} MiB, slice ${marks.at(-1).slice} characters`)
      }
    }
    await until('the last', () => world.model.directorCalls().length === 2_000)
    assert.ok(marks.at(-1).sidecar - marks[0].sidecar < 8, 'the sidecar does not grow with the session')
    assert.ok(marks.every(mark => mark.slice <= 4_000))
  } finally {
    await world.close()
  }
})
