// Where no page is: one task and out, and a front end in a terminal.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { noted, REVIEWER } from '../lib/model-server.mjs'
import { never, until } from '../lib/wait.mjs'
import { makeWorld } from '../lib/world.mjs'

const TERMINAL = fileURLToPath(new URL('../lib/terminal', import.meta.url))

async function within(profile, row, run) {
  const world = await makeWorld({ plugin: false })
  try {
    const added = await world.dsh('plugin', '--profile', profile, 'add', process.env.SUGGEST_E2E_PLUGIN)
    assert.equal(added.code, 0, added.output)
    if (row !== undefined) writeFileSync(join(world.home, 'profiles', profile, 'cordis.patch.yml'), `- id: suggest\n  config: ${JSON.stringify(row)}\n`)
    await run(world)
  } finally {
    await world.close()
  }
}

const readByWorker = (world, text) => world.model.workerCalls().filter(call => call.messages.some(message => message.role === 'user' && message.text.includes(text)))

test('one task in the headless profile costs no review and no process: it is out before a note could be read (D12)', () => within('headless', { advisor: REVIEWER }, async world => {
  const ran = await world.dsh('--profile', 'headless', '[[goal]] finish it')
  assert.equal(ran.code, 0, ran.output)
  assert.match(ran.output, /this part is done/)
  assert.deepEqual(world.model.reviews(), [])
  assert.doesNotMatch(ran.output, /linked with suggest|not linked/)
}))

test('in a terminal the command and the notes work, from the row and from a pin, and nothing else is asked', async () => {
  for (const configured of [true, false]) {
    await within('terminal', configured ? { promptModel: 'mock-director/director-1', advisor: REVIEWER } : undefined, async world => {
      const added = await world.dsh('plugin', '--profile', 'terminal', 'add', `file:${TERMINAL}`)
      assert.equal(added.code, 0, added.output)
      const terminal = await world.terminal('terminal')
      const first = await terminal.command('/advisor status')
      if (configured) assert.match(first.text, /Advisor: on in this session\nModel: mock-reviewer\/reviewer-1 \(global default\)/)
      else {
        assert.match(first.text, /Runtime: disabled/)
        const pinned = await terminal.command('/advisor model set mock-reviewer reviewer-2')
        assert.equal(pinned.kind, 'success', pinned.text)
      }
      assert.equal((await terminal.command('/suggest status')).kind, 'error')
      let once = true
      world.model.review = () => once ? (once = false, noted('concern', 'the totals are not rounded, and the footer shows them so')) : { text: 'NONE' }
      terminal.prompt('Print the totals')
      await until('the worker reads the note', () => readByWorker(world, '[advisor:concern] the totals are not rounded').length > 0)
      await until('the review of that turn', () => world.model.reviews().length === 2)
      assert.ok(world.model.reviews().every(review => review.model === (configured ? 'reviewer-1' : 'reviewer-2')))
      assert.match((await terminal.command('/advisor off')).text, /is off/)
      terminal.prompt('And on')
      await until('the worker at it', () => readByWorker(world, 'And on').length > 0)
      await never('another review', () => world.model.reviews().length > 2, 500)
      assert.equal(world.model.directorCalls().length, 0)
      assert.equal(world.model.predictions().length, 0)
      assert.equal(terminal.over(), false)
    })
  }
})
