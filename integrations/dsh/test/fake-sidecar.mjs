#!/usr/bin/env node
// A scripted sidecar: speaks the protocol, keeps a toy state, and misbehaves on request. For the plugin's tests only.
import { createInterface } from 'node:readline'
import { appendFileSync } from 'node:fs'

const LOG = process.env.FAKE_SIDECAR_LOG
const DIE_AT = process.env.FAKE_SIDECAR_DIE_AT
const sessions = new Map()
const waiting = new Map()
let next = 1

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const notify = (method, params) => send({ method, params })
const ask = (method, params) => new Promise((resolve, reject) => {
  const id = next++
  waiting.set(id, { resolve, reject })
  send({ id, method, params })
})

let row = {}

function advisorOf() {
  const { provider = '', model = '' } = row.advisor ?? {}
  const pair = provider !== '' && model !== '' ? { id: `${provider}/${model}`, source: 'config' } : undefined
  return { status: pair === undefined ? 'disabled' : 'idle', ...(pair === undefined ? { reason: { code: 'missing-provider-and-model', message: 'no pair' } } : { model: pair }), in_flight: false, backlog: 0, blocker: null, steers_since_human: 0, delivered: 0, usage: {} }
}

const wrong = config => (config.promptContextChars === 1 ? { code: 'bad-config', message: '`promptContextChars` must be 500 to 200000' } : null)

function blank(open) {
  return {
    id: open.session, live: false, model: '', status: 'off', reason: { code: 'no-model', message: 'no model is set' }, offer: null,
    armed: false, rounds: open.spentRounds, nextOffer: open.nextOffer, nextTicket: open.nextTicket, turn: 0, epoch: open.humanEpoch, goal: open.goal, seq: 0,
    disarmed: null, text: '', goalPaused: false,
  }
}

function publish(s) {
  notify('state', {
    session: s.id, seq: ++s.seq, block: '', line: '', nextOffer: s.nextOffer, nextTicket: s.nextTicket, spentRounds: s.rounds,
    state: {
      status: s.status, reason: s.reason, offer: s.offer,
      autorun: { armed: s.armed, hold: null, rounds: s.rounds, max_rounds: 3, disarmed_because: s.disarmed },
      goal: s.goal && { id: s.goal.id, revision: s.goal.revision, phase: s.goal.phase, armed: s.goal.activation === 'armed', objective: s.goal.objective, paused_by_autorun: s.goalPaused },
      model: s.model === '' ? null : { id: s.model, source: 'command' }, usage: {}, ...(s.advisor === undefined ? {} : { advisor: s.advisor }),
    },
  })
}

async function generate(s) {
  s.status = 'analyzing'
  s.reason = null
  s.offer = null
  publish(s)
  const [provider, ...rest] = s.model.split('/')
  const turn = s.turn
  try {
    const reply = await ask('model/complete', { call: next, session: s.id, provider, model: rest.join('/'), messages: [{ role: 'system', text: 'director' }, { role: 'user', text: `turn ${turn}` }], deadlineMs: 5000 })
    if (s.turn !== turn) return
    s.offer = { id: `o${s.nextOffer++}`, text: reply.text.replace(/^NEXT: /, ''), turn, current: true, kind: 'prompt', model: s.model }
    s.status = 'ready'
  } catch (error) {
    s.status = 'failed'
    s.reason = { code: error.data?.kind ?? 'malformed', message: `the call failed: ${error.data?.kind}` }
  }
  publish(s)
}

async function submit(s, author) {
  const { offer } = s
  s.offer = null
  s.status = 'idle'
  s.reason = { code: 'submitting', message: 'submitting' }
  const verdict = await ask('submit', {
    session: s.id, ticket: s.nextTicket++, offer: offer.id, text: offer.text, author,
    expect: { turn: s.turn, goal: s.goal && s.goal.phase !== 'complete' ? { id: s.goal.id, revision: s.goal.revision } : null, humanEpoch: s.epoch },
  })
  if (verdict.accepted && author === 'suggest') s.rounds++
  if (!verdict.accepted) {
    s.offer = offer
    s.status = 'ready'
  }
  publish(s)
  return verdict
}

async function command(s, line) {
  const [verb = '', ...rest] = line.split(' ')
  const ok = text => ({ text, code: 'ok' })
  switch (verb) {
    case 'model':
      s.model = rest[0] === 'clear' ? '' : (rest[0] ?? '')
      s.status = s.model === '' ? 'off' : 'idle'
      s.reason = s.model === '' ? { code: 'no-model', message: 'no model is set' } : { code: 'no-completed-turn', message: 'no turn has completed' }
      publish(s)
      return ok(`model: ${s.model}`)
    case 'run':
      if (s.offer === null) return { text: 'no offer is on screen', code: 'no-offer' }
      return (await submit(s, 'human')).accepted ? ok('running') : { text: 'refused', code: 'stale' }
    case 'autorun':
      s.armed = rest[0] === 'on'
      s.disarmed = s.armed ? null : { code: 'human', message: 'you stopped it' }
      if (s.armed && s.goal?.phase === 'active') s.goalPaused = (await ask('goal/pause', { session: s.id, id: s.goal.id, revision: s.goal.revision })).ok
      publish(s)
      return ok('autorun')
    case 'retry':
      generate(s)
      return ok('again')
    case 'fill':
      return ok(JSON.stringify(await ask('input/fill', { session: s.id, text: rest.join(' ') })))
    case 'pause-unasked':
      return ok(JSON.stringify(await ask('goal/pause', { session: s.id, id: 'g', revision: 1 })))
    case 'ask':
      return ok(JSON.stringify(await ask(rest[0], JSON.parse(rest.slice(1).join(' ')))))
    case 'advisor': {
      if (line.startsWith('advisor model set ')) {
        const id = `${rest[2]}/${rest[3]}`
        const good = rest[3] !== 'gone'
        s.advisor = { ...advisorOf(), ...(good ? { model: { id, source: 'command' } } : { pin_refused: `${id} was not pinned: unknown` }) }
        publish(s)
        return good ? ok(`${id} reviews this session now`) : { text: s.advisor.pin_refused, code: 'bad-argument' }
      }
      s.advisor = advisorOf()
      publish(s)
      return ok(`${line}: ${JSON.stringify(s.advisor.model)}`)
    }
    case 'info':
      return ok(JSON.stringify(await ask('model/info', { provider: 'p', model: 'm' })))
    case 'garbage':
      process.stdout.write('no json\n{"half":\n\n[1]\n')
      return ok('said')
    case 'huge':
      process.stdout.write(`${'x'.repeat(9 * 1024 * 1024)}\n`)
      return ok('said')
    case 'hang':
      return new Promise(() => {})
    case 'die':
      process.exit(3)
      break
    default:
      return ok(`${verb}: ${s.status}`)
  }
}

async function handle({ id, method, params }) {
  if (LOG) appendFileSync(LOG, `${JSON.stringify({ method, params })}\n`)
  if (method === DIE_AT) process.exit(9)
  const s = sessions.get(params?.session)
  switch (method) {
    case 'hello': {
      row = params.config
      const off = wrong(row)
      return { protocol: Number(process.env.FAKE_SIDECAR_PROTOCOL ?? 1), product: 'suggest', version: '0.0.0', off }
    }
    case 'config/check':
      return { off: wrong(params.config) }
    case 'config':
      row = params.config
      for (const s of sessions.values()) {
        if (row.advisor !== undefined) s.advisor = advisorOf()
        publish(s)
      }
      return
    case 'session/open':
      sessions.set(params.session, blank(params))
      return
    case 'session/ready':
      s.live = true
      if (process.env.FAKE_SIDECAR_MODEL) await command(s, `model ${process.env.FAKE_SIDECAR_MODEL}`)
      else publish(s)
      return
    case 'session/event':
      if (params.event.type === 'turn/start') {
        s.turn = params.event.data.turn
        s.offer = null
        publish(s)
      }
      if (params.event.type === 'turn/end' && s.model !== '' && params.event.data.reason.kind === 'completed') await generate(s)
      return
    case 'session/inbox':
      s.epoch = params.humanEpoch
      return
    case 'session/goal':
      s.goal = params.goal
      return
    case 'session/status':
      s.epoch = params.humanEpoch
      s.goal = params.goal
      if (params.status === 'idle' && s.armed && s.offer !== null && s.rounds < 3) await submit(s, 'suggest')
      return
    case 'command':
      return s === undefined ? { text: 'unknown session', code: 'closed' } : command(s, params.line)
    default:
  }
  return id
}

createInterface({ input: process.stdin }).on('line', line => {
  const message = JSON.parse(line)
  if (message.method === undefined) {
    const { resolve, reject } = waiting.get(message.id) ?? {}
    waiting.delete(message.id)
    if (message.error) reject?.(message.error)
    else resolve?.(message.result)
    return
  }
  handle(message).then(result => {
    if (message.id !== undefined) send({ id: message.id, result })
  }, error => process.stderr.write(`${error?.stack ?? JSON.stringify(error)}\n`))
}).on('close', () => process.exit(0))
