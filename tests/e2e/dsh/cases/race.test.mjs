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
      await until('the session to come to rest', async () => {
        const turns = world.turns(session)
        return turns.length > 0 && turns.every(turn => turn.reason !== undefined) && !['analyzing'].includes((await world.frame(session)).state.status)
      }, 30_000)

      const log = world.log(session)
      let open
      for (const event of log) {
        if (event.type === 'turn/start') {
          assert.equal(open, undefined, `seed ${seed}, round ${round}: turn ${event.data.turn} starts inside turn ${open}`)
          open = event.data.turn
        }
        if (event.type === 'turn/end') open = undefined
      }
      const turns = world.turns(session)
      const mine = turns.filter(turn => turn.messages.some(message => message.source.plugin === 'suggest'))
      ours += mine.length
      // A blocked turn of the goal's driver beside a Stop or a clear by the human is the host's own; one with a
      // message of ours around it would be our doing.
      for (const [at, turn] of turns.entries()) {
        if (turn.reason !== 'blocked') continue
        const near = log.filter(event => event.type === 'goal/change' || (event.type === 'agent/inbox/spliced' && event.data.inserted.some(message => message.source.kind === 'user')))
        assert.ok(near.length > 0 && !mine.includes(turns[at + 1]), `seed ${seed}, round ${round}: turn ${turn.turn} is blocked, and ours follows`)
      }
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
