import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { copy, zhCodes, type Key } from '../src/bar/copy.ts'
import { look, tip } from '../src/bar/look.ts'
import { cardsOf, choose, optionsOf } from '../src/bar/menu.ts'
import { parseBlock, printLink } from '../src/common/block.ts'
import { readFrame, readState, type Frame, type State } from '../src/common/state.ts'

const t = (key: Key): string => copy.en[key]
const state = (over: Partial<State> = {}): State => ({
  status: 'ready', reason: null, offer: { id: 'o1', text: 'Write a test', turn: 1, current: true, kind: 'prompt', model: 'p/m' },
  autorun: { armed: false, hold: null, rounds: 0, max_rounds: 24, disarmed_because: null }, goal: null, model: { id: 'p/m', source: 'command' }, advisor: null, ...over,
})
const frame = (over: Partial<Frame> = {}): Frame => ({ session: 's', seq: 1, link: { kind: 'linked' }, state: state(), disarmedByRestart: false, ...over })
const shown = (over: Partial<Frame>, chinese = false) => look(frame(over), true, chinese ? key => copy.zh[key] : t, chinese)

test('nothing is shown where the feature does not exist', () => {
  assert.equal(look(null, true, t, false), undefined)
  assert.equal(shown({ state: null, link: { kind: 'starting' } }), undefined)
  const off = state({ status: 'off', reason: { code: 'no-model', message: 'no model is set' }, offer: null, model: null })
  assert.equal(shown({ state: off }), undefined)
  assert.equal(shown({ state: off, link: { kind: 'unlinked', code: 'ended', message: 'it ended' } }), undefined)
})

test('every status has its label, and a failure is never blank', () => {
  assert.equal(shown({})?.label, 'Recommended Next Step')
  const idle = shown({ state: state({ status: 'idle', offer: null, reason: { code: 'no-completed-turn', message: 'x' } }) })
  assert.deepEqual([idle?.label, idle?.hint, idle?.run], ['No suggestion yet', 'I will recommend one after your next turn', false])
  const analyzing = shown({ state: state({ status: 'analyzing', offer: null }) })
  assert.deepEqual([analyzing?.label, analyzing?.hint], ['Analyzing situation…', 'Analyzing the session…'])
  const failed = shown({ state: state({ status: 'failed', offer: null, reason: { code: 'timeout', message: 'no answer in 60 s' } }) })
  assert.deepEqual([failed?.label, failed?.hint, failed?.error, failed?.retry], ['Suggestion failed', 'no answer in 60 s', true, true])
})

test('a failure keeps the last offer, runnable by hand, with its turn and its reason (D10)', () => {
  const kept = shown({ state: state({ status: 'failed', reason: { code: 'timeout', message: 'no answer' }, offer: { id: 'o1', text: 'x', turn: 4, current: false, kind: 'prompt', model: 'p/m' } }) })
  assert.equal(kept?.run, true)
  assert.deepEqual(kept?.notes.map(note => note.text), ['no answer', 'from turn 4'])
})

test('by-hand offers say so, in both languages (D13, G2)', () => {
  for (const kind of ['goal_edit', 'command', 'destructive'] as const) {
    const over = { state: state({ offer: { id: 'o1', text: 'x', turn: 1, current: true, kind, model: 'p/m' } }) }
    assert.match(shown(over)?.notes[0]?.text ?? '', /run it yourself/)
    assert.match(shown(over, true)?.notes[0]?.text ?? '', /手动运行/)
  }
})

test('autorun shows its rounds, why it waits, why it stopped, and that the goal is paused', () => {
  const autorun = { armed: true, hold: { code: 'refused', message: 'the host refused it' }, rounds: 3, max_rounds: 24, disarmed_because: null }
  assert.equal(shown({ state: state({ autorun }) })?.notes[0]?.text, 'Autorun waits: the host refused it · 3/24 rounds')
  assert.equal(shown({ state: state({ autorun }) }, true)?.notes[0]?.text, '自动运行等待中: 宿主拒绝了提交（the host refused it） · 3/24 轮')
  const busy = { ...autorun, hold: { code: 'busy', message: 'a turn is running' } }
  assert.equal(shown({ state: state({ autorun: busy }) })?.notes[0]?.text, 'Autorun is on: a turn is running · 3/24 rounds')
  const stopped = { ...autorun, armed: false, hold: null, disarmed_because: { code: 'budget-spent', message: '24 of 24 rounds spent' } }
  assert.match(shown({ state: state({ autorun: stopped }) })?.notes[0]?.text ?? '', /stopped: 24 of 24/)
  const goal = { id: 'g', revision: 2, phase: 'paused' as const, armed: false, objective: 'x', paused_by_autorun: true }
  assert.ok(shown({ state: state({ autorun: stopped, goal }) })?.notes.some(note => note.id === 'goal'))
  const restarted = shown({ disarmedByRestart: true })
  assert.ok(restarted?.notes.some(note => note.id === 'restarted'))
})

test('a broken engine, a broken configuration and a lost server each have a line', () => {
  assert.match(shown({ link: { kind: 'unlinked', code: 'ended', message: 'it was ended by SIGKILL' } })?.hint ?? '', /SIGKILL/)
  assert.match(shown({ link: { kind: 'unlinked', code: 'no-binary', message: 'no suggest' }, state: null })?.hint ?? '', /no suggest/)
  const off = shown({ link: { kind: 'off', code: 'configuration', message: '`promptModle` is unknown' }, state: null })
  assert.deepEqual([off?.status, off?.error], ['off', true])
  assert.equal(look(frame(), false, t, false)?.hint, copy.en.disconnected)
})

test('the guess of the next prompt stands under the input of an idle session; beside a director its offer takes that place (V8)', () => {
  const advisor = { status: 'idle', reason: null, model: null, trying: null, pin_refused: null, blocker: null, prediction: 'Run the tests again' }
  const off = state({ status: 'off', offer: null, advisor })
  assert.deepEqual(tip(frame({ state: off }), true, false), { text: 'Run the tests again', shown: true })
  assert.equal(tip(frame({ state: off }), true, true), undefined, 'a turn runs')
  assert.equal(tip(frame({ state: off }), false, false), undefined, 'the page is cut off')
  assert.equal(tip(frame({ state: off, link: { kind: 'unlinked', code: 'ended', message: '' } }), true, false), undefined)
  assert.deepEqual(tip(frame(), true, false), { text: 'Write a test', shown: false })
  assert.equal(tip(frame({ state: state({ offer: { id: 'o1', text: '/compact', turn: 1, current: true, kind: 'command', model: 'p/m' } }) }), true, false), undefined, 'a command is for the hand')
  assert.equal(tip(frame({ state: state({ status: 'failed' }) }), true, false), undefined)
  assert.equal(tip(null, true, false), undefined)
})

test('both languages say the same things', () => {
  assert.deepEqual(Object.keys(copy.zh).sort(), Object.keys(copy.en).sort())
  for (const sentence of Object.values(zhCodes)) assert.match(sentence, /\p{Script=Han}/u)
})

test('what is no state or frame is refused', () => {
  for (const wrong of [null, 1, {}, { ...state(), status: 'odd' }, { ...state(), autorun: { armed: 1 } }, { ...state(), offer: { id: 'o1' } }]) assert.equal(readState(wrong), undefined)
  assert.deepEqual(readState({ ...state(), usage: {}, advisor: null }), state())
  assert.deepEqual(readFrame(JSON.parse(JSON.stringify(frame()))), frame())
  assert.equal(readFrame({ ...frame(), link: { kind: 'odd' } }), undefined)
})

test('a printed block becomes the same frame', () => {
  const block = [
    'status        ready', 'model         p/m', '  from        command', 'offer         o7', '  answers     turn 3 (older)', '  kind        edits the goal · run it yourself', '  writer      p/m',
    '  text        | Say \\\\ and', '              | more', '              |', '              | end', 'autorun       armed', '  hold        by-hand-offer: run it yourself', '  rounds      2 of 24',
    'goal          g1', '  revision    4', '  phase       paused', '  driver      not armed', '  paused by   autorun', '  objective   | Ship it', 'meter         1 call, 0 failed', '  tokens      10 in (0 cached), 2 out', '  time        0.010 s',
    'advisor       paused', '  reason      quota: used up', '  model       p/reviewer', '    from      config', '  no pin      | p/x was not pinned', '  call        waiting', '  backlog     0', '  blocker     | Stop', '  steers      0', '  delivered   1', '  meter       1 call, 0 failed', '    tokens    1 in (0 cached), 2 out', '    time      0.010 s',
  ].join('\n')
  assert.deepEqual(parseBlock('s', block), {
    session: 's', seq: 0, link: { kind: 'linked' }, disarmedByRestart: false,
    state: {
      status: 'ready', reason: null, model: { id: 'p/m', source: 'command' },
      offer: { id: 'o7', text: 'Say \\ and\nmore\n\nend', turn: 3, current: false, kind: 'goal_edit', model: 'p/m' },
      autorun: { armed: true, hold: { code: 'by-hand-offer', message: 'run it yourself' }, rounds: 2, max_rounds: 24, disarmed_because: null },
      goal: { id: 'g1', revision: 4, phase: 'paused', armed: false, objective: 'Ship it', paused_by_autorun: true },
      advisor: { status: 'paused', reason: { code: 'quota', message: 'used up' }, model: { id: 'p/reviewer', source: 'config' }, trying: null, pin_refused: 'p/x was not pinned', blocker: 'Stop', prediction: null },
    },
  } satisfies Frame)
})

test('the plugin\'s own lines are read back', () => {
  for (const link of [{ kind: 'unlinked', code: 'ended', message: 'it ended' }, { kind: 'off', code: 'configuration', message: 'wrong: x' }, { kind: 'starting' }] as const) {
    assert.deepEqual(parseBlock('s', printLink(link))?.link, link)
  }
  assert.equal(parseBlock('s', 'something else'), undefined)
})

test('the browser half is one classic script that imports nothing of the host but what it offers', () => {
  const node = `const v=[];globalThis.window={__ModuleLoader__:{load:x=>v.push(x)}};require(${JSON.stringify(new URL('../client.js', import.meta.url).pathname)});const m=v[0].factory(()=>({}));console.log(v[0].id,typeof m.apply,m.inject.join())`
  const said = execFileSync(process.execPath, ['-e', node.replace('require(', 'eval(require("node:fs").readFileSync(').replace(');const m', ',"utf8"));const m')], { encoding: 'utf8' })
  assert.equal(said.trim(), 'dsh-suggest function slots,locale,remote,remote.commands,connection')
})

test('a run that the host did not take says so beside its step, which is still there (D11)', () => {
  const refused = shown({ state: state({ reason: { code: 'refused', message: 'your run was not taken: the host did not answer within 10 s; run it again' } }) })
  assert.equal(refused?.run, true)
  assert.deepEqual(refused?.notes, [{ id: 'refused', text: 'your run was not taken: the host did not answer within 10 s; run it again', tone: 'error' }])
})

test('the menu of the bare command offers the fresh cards of the session and the verbs, and a card goes into the input (C8)', async () => {
  const list = ['2 cards; take one with …', '', '1234abcd  Fix a test', '  high · fix · fresh · by the model', '  It fails.', '  > Fix `a`', '  > and b', '', '00ff00ff  Old', '  low · fix · stale: the session moved on', '  Why', '  > Old prompt'].join('\n')
  assert.deepEqual(cardsOf(list).map(card => [card.id, card.stale]), [['1234abcd', false], ['00ff00ff', true]])
  assert.deepEqual(cardsOf('no card is open; cards come when …'), [])
  const said: string[] = []
  const filled: string[] = []
  const calls = {
    verb: async (_: string, line: string) => (line === 'cards' ? { text: list, code: 'ok' } : line.endsWith('1234abcd') ? { text: '', code: 'ok', fill: 'Fix `a`' } : { text: 'card is stale', code: 'stale' }),
    say: async (_: string, line: string) => void said.push(line),
    fill: (_: string, text: string) => void filled.push(text),
  }
  const options = await optionsOf(calls, 's', t)
  assert.deepEqual(options[0], { id: 'cards accept 1234abcd', label: 'Fix a test', detail: 'Fix `a` and b' })
  assert.ok(options.some(option => option.id === 'help') && !options.some(option => option.id.includes('00ff00ff')))
  await choose(calls, 's', 'cards accept 1234abcd')
  await choose(calls, 's', 'state')
  assert.deepEqual([filled, said], [['Fix `a`'], ['state']])
  await assert.rejects(choose(calls, 's', 'cards accept 00ff00ff'), /stale/)
})
