// The loop, the goal's driver and human prompts meet at random moments. Who starts the next turn is decided by state.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIRECTOR } from '../lib/model-server.mjs'
import { until } from '../lib/wait.mjs'
import { makeWorld } from '../lib/world.mjs'

const ROUNDS = process.env.SUGGEST_E2E_SOAK === '1' ? 200 : 20
const BUDGET = 6

/** Repeatable: the seed is printed, and can be given back. */
function random(seed) {
  let state = seed >>> 0
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test(`${ROUNDS} rounds of loop, goal driver and human: no blocked turn, no double start, no round over the budget`, async t => {
  const seed = Number(process.env.SUGGEST_E2E_SEED ?? Date.now() % 1_000_000)
  t.diagnostic(`SUGGEST_E2E_SEED=${seed}`)
  const roll = random(seed)
  const world = await makeWorld({ row: { promptModel: DIRECTOR, promptMaxRounds: BUDGET } })
  try {
    await world.boot()
    world.model.goalRounds = 3
    world.model.director = () => ({ text: `NEXT: Take step ${world.model.directorCalls().length} of the plan in PLAN.md`, delay: roll(25) })
    let ours = 0
    for (let round = 0; round < ROUNDS; round++) {
      const session = await world.session()
      world.model.workerDelay = roll(30)
      world.model.goalRoundDelay = roll(40)
      const acts = [
        () => world.prompt(session, `Human words ${roll(1000)}`),
        () => world.prompt(session, `Steering ${roll(1000)}`, 'steer'),
        () => world.verb(session, 'autorun on'),
        () => world.verb(session, 'autorun on'),
        () => world.verb(session, 'autorun off'),
        () => world.verb(session, 'run'),
        () => world.verb(session, 'retry'),
        () => world.command(session, '/goal Finish the plan'),
        () => world.command(session, '/goal pause'),
        () => world.command(session, '/goal resume'),
        () => world.command(session, '/goal clear'),
        () => world.rpc('session.cancel', { sessionId: session }),
      ]
      await world.prompt(session, `Begin round ${round}`)
      await world.verb(session, 'autorun on')
      await world.command(session, '/goal Finish the plan')
      for (let n = 0; n < 14; n++) {
        // Refusals are part of it.
        acts[roll(acts.length)]().catch(() => {})
        await new Promise(resolve => setTimeout(resolve, roll(60)))
      }
      await world.verb(session, 'autorun off').catch(() => {})
      await world.command(session, '/goal clear').catch(() => {})
      // This host loses the end of a turn that is stopped at some moments, with and without the plugin; so what tells
      // that a session rests is that its log stands still.
      let length = -1
      let since = Date.now()
      await until(`seed ${seed}, round ${round}: the session comes to rest`, async () => {
        const now = world.log(session).length
        if (now !== length || (await world.frame(session)).state.status === 'analyzing') {
          length = now
          since = Date.now()
        }
        return Date.now() - since > 600
      }, 30_000)

      const log = world.log(session)
      let step
      for (const event of log) {
        if (event.type === 'turn/start') assert.equal(step, undefined, `seed ${seed}, round ${round}: turn ${event.data.turn} starts inside a step of turn ${step}`)
        if (event.type === 'step/start') step = event.data.turn
        if (event.type === 'step/end') step = undefined
      }
      const turns = world.turns(session)
      const mine = turns.filter(turn => turn.messages.some(message => message.source.plugin === 'suggest'))
      ours += mine.length
      assert.deepEqual(world.refusedByUs(session), [], `seed ${seed}, round ${round}`)
      const texts = mine.map(turn => turn.messages.find(message => message.source.plugin === 'suggest').text)
      assert.equal(new Set(texts).size, texts.length, `seed ${seed}, round ${round}: no offer ran twice`)
      assert.ok(mine.length <= BUDGET, `seed ${seed}, round ${round}: ${mine.length} rounds of ${BUDGET}`)
      assert.ok(mine.length <= (await world.frame(session)).state.autorun.rounds, `seed ${seed}, round ${round}: every round is counted`)
    }
    t.diagnostic(`${ours} rounds of the loop in ${ROUNDS} sessions`)
    assert.ok(ours > 0, 'the loop took part')
  } finally {
    await world.close()
  }
})
