import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { rebased } from '../src/bar/card.ts'
import { copy, sentence, zhCodes } from '../src/bar/copy.ts'
import { DEFAULTS } from '../src/common/advisor.ts'
import { AdvisorCalls, type AdvisorHost } from '../src/host/advisor.ts'
import type { RowFiles } from '../src/host/row.ts'

const callsOf = (llm: Record<string, unknown>): AdvisorCalls =>
  new AdvisorCalls({
    llm: () => llm as never,
    row: () => ({}),
    off: () => undefined,
    check: async () => undefined,
    apply: () => {},
    files: { files: () => ['/nowhere'], save: async () => {} } as unknown as RowFiles,
    state: () => undefined,
    verb: async () => ({ text: '', code: 'ok' }),
    efforts: async () => [],
  } satisfies AdvisorHost)

test('the providers of a host are listed whether it names them at once or in a moment, and what is no entry is left out', async () => {
  const entries = [{ id: 'p', name: 'P' }, { id: 'bare' }, 'p', null, { name: 'no id' }]
  const models = [{ id: 'm', name: 'M' }, { id: 'n' }, 7, undefined]
  for (const llm of [
    { listProviders: () => entries, listModels: () => models },
    { listProviders: async () => entries, listModels: async () => models },
  ]) {
    const { providers } = await callsOf(llm).get()
    const known = [{ id: 'm', name: 'M' }, { id: 'n', name: 'n' }]
    assert.deepEqual(providers, [{ id: 'p', name: 'P', models: known }, { id: 'bare', name: 'bare', models: known }])
  }
})

test('a host that lists nothing, throws or answers with something else has no providers, and refuses none by name', async () => {
  const wrong = () => {
    throw new Error('no')
  }
  for (const llm of [{}, { listProviders: wrong }, { listProviders: async () => wrong() }, { listProviders: () => ({}) }, { listProviders: () => [{ id: 'p' }], listModels: wrong }]) {
    const calls = callsOf(llm)
    const { revision, providers } = await calls.get()
    assert.deepEqual(providers, 'listModels' in llm ? [{ id: 'p', name: 'p', models: [] }] : [])
    const saved = await calls.set({ ...DEFAULTS, provider: 'p', model: 'm' }, revision)
    assert.equal(saved.saved, true)
  }
  const calls = callsOf({ listProviders: async () => [{ id: 'other' }] })
  const refused = await calls.set({ ...DEFAULTS, provider: 'p', model: 'm' }, (await calls.get()).revision)
  assert.deepEqual(refused, { saved: false, code: 'unknown-provider', reason: 'dsh has no provider p' })
})

test('settings that changed meanwhile are shown, with the person\'s own changes on top of them', () => {
  const from = { ...DEFAULTS, provider: 'p', model: 'm' }
  const draft = { ...from, immuneTurns: 5, systemPrompt: 'Be strict.' }
  const now = { ...from, model: 'newer', immuneTurns: 1, nextPrompt: false }
  assert.deepEqual(rebased(draft, from, now), { ...now, immuneTurns: 5, systemPrompt: 'Be strict.' })
  assert.deepEqual(rebased(from, from, now), now, 'who changed nothing sees what stands')
})

test('every refusal of a save has Chinese words, and keeps the names and numbers of the reason', () => {
  for (const code of ['unknown-provider', 'not-saved', 'bad-argument']) {
    assert.match(zhCodes[code] ?? '', /\p{Script=Han}/u)
    assert.match(sentence(true, { code, message: 'names p/m' }), /names p\/m/)
    assert.equal(sentence(false, { code, message: 'names p/m' }), 'names p/m')
  }
  assert.deepEqual(Object.keys(copy.zh).sort(), Object.keys(copy.en).sort())
})

test('every reason that the page can show has Chinese words', () => {
  const { $defs } = JSON.parse(readFileSync(new URL('../../../schemas/state.json', import.meta.url), 'utf8')) as { $defs: Record<string, { enum?: string[]; oneOf?: { const?: string }[] }> }
  const codes = Object.entries($defs)
    .filter(([name]) => ['ReasonCode', 'HoldCode', 'DisarmCode'].includes(name))
    .flatMap(([, { enum: listed, oneOf }]) => listed ?? (oneOf ?? []).map(entry => entry.const ?? ''))
  assert.ok(codes.length > 40)
  // With these there is no bar.
  const unseen = ['no-model', 'headless', 'subagent']
  const advisor = ['quota_exhausted', 'default-off', 'missing-provider', 'missing-model', 'missing-provider-and-model']
  assert.deepEqual([...codes, ...advisor].filter(code => !(code in zhCodes) && !unseen.includes(code)), [])
})
