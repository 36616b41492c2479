// The board: what the server tells becomes what is drawn, and what a person does becomes requests.

import { cardElement, fill, groupElement, label, make, paintAge, paintCard, paintGroup, write } from './cards.js'
import { ask, follow, hasToken, redeem, setToken } from './connection.js'
import { age, refusal, say, time, translate } from './words.js'

/** So long after a key began to stand for another card, it does nothing: the eye was not there yet. */
const SETTLING = 400
const RANK = { high: 3, medium: 2, low: 1 }
const OTHERS = 30

const at = id => document.getElementById(id)
const view = { snapshot: null, seq: 0, sessions: [], notices: [], state: 'connecting', seen: null, intent: null, asked: new Set() }
/** The cards that the keys stand for, as drawn: `{ id, since }`. */
let keys = []
let connection = null

// ---------------------------------------------------------------- what the server tells

function told(event, isFirst) {
  if (event.type === 'suggestion_update') {
    // After a restart the first snapshot counts, whatever its number.
    if (!isFirst && event.seq <= view.seq) return
    const before = view.snapshot === null ? null : new Set(view.snapshot.cards.map(card => card.id))
    const fresh = before === null ? 0 : event.cards.filter(card => !before.has(card.id)).length
    Object.assign(view, { snapshot: event, seq: event.seq })
    draw()
    if (fresh > 0) announce(say('newCards', { n: fresh }))
  } else if (event.type === 'session_update') {
    const fresh = event.notices.filter(notice => !view.notices.includes(notice))
    if (fresh.length > 0) announce(fresh.join(' '))
    Object.assign(view, { sessions: event.sessions, notices: event.notices })
    draw()
  }
}

function stands(state) {
  if (view.state === state) return
  // Up to now what is drawn was current.
  if (view.state === 'live') view.seen = Date.now()
  view.state = state
  if (state === 'locked') view.snapshot = null
  draw()
}

// ---------------------------------------------------------------- drawing

function draw() {
  drawState()
  if (view.snapshot === null) {
    at('groups').replaceChildren()
    for (const id of ['empty', 'others', 'dismiss-all', 'count']) at(id).hidden = true
    keys = []
    document.title = 'suggest'
    drawReply()
    return
  }
  const cards = view.snapshot.cards
  const groups = grouped(cards)
  const shown = groups.flatMap(group => group.cards)
  const actionable = shown.filter(card => !card.stale).slice(0, 3)
  const now = performance.now()
  keys = actionable.map((card, index) => keys[index]?.id === card.id ? keys[index] : { id: card.id, since: now })
  const keyOf = new Map(actionable.map((card, index) => [card.id, String(index + 1)]))
  keepingFocus(() => drawGroups(groups, keyOf))
  at('empty').hidden = shown.length > 0
  at('empty-text').textContent = say(view.sessions.length === 0 ? 'emptyNone' : 'emptyText')
  at('dismiss-all').hidden = shown.length === 0
  at('count').hidden = false
  at('count').textContent = say('cards', { n: shown.length })
  document.title = shown.length > 0 ? `(${shown.length}) suggest` : 'suggest'
  drawOthers(new Set(groups.map(group => group.session)))
  drawReply()
}

function drawState() {
  document.documentElement.dataset.connection = view.state
  at('connection-text').textContent = say(view.state)
  at('loading').hidden = view.state !== 'connecting' || view.snapshot !== null
  at('login').hidden = view.state !== 'locked'
  const banner = at('banner')
  banner.hidden = view.state !== 'lost'
  if (view.state === 'lost') {
    const text = say('lostBanner', { time: time(view.seen ?? Date.now()) })
    if (banner.textContent !== text) banner.textContent = text
  }
  const notices = at('notices')
  notices.hidden = view.notices.length === 0
  notices.replaceChildren(...view.notices.map(notice => {
    const item = make('li', { dir: 'auto' })
    write(item, notice)
    return item
  }))
}

/** Cards by session: where something urgent and fresh waits first, then the newest. */
function grouped(cards) {
  const groups = new Map()
  for (const summary of view.snapshot.summaries) {
    const hero = heroOf(summary.session)
    // A summary alone is worth a place only while its session waits.
    if (hero.status === 'idle') groups.set(summary.session, [])
  }
  for (const card of cards) {
    if (!groups.has(card.session)) groups.set(card.session, [])
    groups.get(card.session).push(card)
  }
  const list = [...groups].map(([session, cards]) => ({
    session,
    cards,
    rank: Math.max(0, ...cards.filter(card => !card.stale).map(card => RANK[card.priority] ?? 0)),
    newest: Math.max(0, ...cards.map(card => card.created_at)),
  }))
  return list.sort((one, other) => other.rank - one.rank || other.newest - one.newest || (one.session < other.session ? -1 : 1))
}

const heroOf = session => view.sessions.find(hero => hero.session === session) ?? { session, name: session, status: 'unknown' }
const idleSessions = () => view.sessions.filter(hero => hero.status === 'idle')

function drawGroups(groups, keyOf) {
  const place = at('groups')
  const idle = idleSessions()
  const had = new Map([...place.children].map(element => [element.dataset.session, element]))
  const wanted = groups.map(group => {
    const element = had.get(group.session) ?? groupElement(group.session)
    paintGroup(element, heroOf(group.session), view.snapshot.summaries.find(summary => summary.session === group.session))
    const list = element.querySelector('.cards')
    const drawn = new Map([...list.children].map(card => [card.dataset.card, card]))
    arrange(list, group.cards.map(card => {
      const item = drawn.get(card.id) ?? cardElement(card)
      paintCard(item, card, keyOf.get(card.id) ?? null, idle)
      return item
    }))
    return element
  })
  arrange(place, wanted)
}

/** Puts these children into a place, moving none that stands right. */
function arrange(place, wanted) {
  const stay = new Set(wanted)
  for (const child of [...place.children]) if (!stay.has(child)) child.remove()
  wanted.forEach((child, index) => { if (place.children[index] !== child) place.insertBefore(child, place.children[index] ?? null) })
}

/** Redraws, and puts the focus back: to the same thing, or to the card that took its place. */
function keepingFocus(redraw) {
  const active = document.activeElement
  const card = active?.closest?.('[data-card]')
  const order = card ? [...document.querySelectorAll('[data-card]')].indexOf(card) : -1
  redraw()
  if (active && active !== document.body && active.isConnected && active.checkVisibility() && !active.disabled) {
    if (document.activeElement !== active) active.focus({ preventScroll: true })
    return
  }
  if (order < 0) return
  const left = [...document.querySelectorAll('[data-card]')]
  const next = left[Math.min(order, left.length - 1)]
  ;(next?.querySelector('[data-act=accept]:enabled, [data-act=dismiss]') ?? at('board')).focus({ preventScroll: true })
}

function drawOthers(grouped) {
  const all = view.sessions.filter(hero => !grouped.has(hero.session) && hero.status !== 'closed')
  const others = all.slice(0, OTHERS)
  const rest = all.length > OTHERS ? [make('li', { class: 'rest' }, say('more', { n: all.length - OTHERS }))] : []
  at('others').hidden = others.length === 0
  keepingFocus(() => at('other-list').replaceChildren(...others.map(hero => {
    const name = make('b', { dir: 'auto', title: hero.session })
    const text = label(hero, view.sessions)
    const from = text.lastIndexOf(' · …')
    write(name, from < 0 ? text : text.slice(0, from + 3))
    // A line breaks before the end of an id, not within it.
    if (from >= 0) name.append(make('span', { class: 'end' }, text.slice(from + 3)))
    const status = make('span', { class: 'tag status', 'data-status': hero.status }, say(hero.status))
    const ask = hero.status === 'idle' ? make('button', { type: 'button', class: 'quiet', 'data-act': 'suggest' }, say('suggestNow')) : null
    return make('li', { 'data-session': hero.session }, name, status, ask)
  }), ...rest))
}

function drawReply() {
  const open = view.sessions.filter(hero => hero.status !== 'closed')
  const select = at('reply-session')
  fill(select, open, say(open.length === 0 ? 'noSession' : 'chooseSession'))
  at('reply-send').disabled = open.length === 0 || view.state !== 'live'
}

function showIntent(intent) {
  view.intent = intent
  write(at('intent-where'), say('intentWhere', { name: label(heroOf(intent.session), view.sessions) }))
  write(at('intent-prompt'), intent.prompt)
  at('intent-copy').textContent = say('copy')
  at('intent').hidden = false
  at('intent').scrollIntoView({ block: 'nearest' })
  at('intent-copy').focus({ preventScroll: true })
}

let announced = 0
function announce(text) {
  // The same words twice are news, too.
  at('live').textContent = announced++ % 2 === 0 ? text : `${text}\u00a0`
}

function complain(error) {
  const why = error.code === 'unreachable' ? say('unreachable') : refusal(error.code, error.message)
  toast(say('failed', { why }))
}

/** A few words that go by themselves. */
function toast(text, tone = '') {
  const element = make('div', { class: `toast ${tone}` })
  write(element, text)
  document.querySelector('.toast')?.remove()
  document.body.append(element)
  setTimeout(() => element.remove(), 6000)
  announce(text)
}

// ---------------------------------------------------------------- what a person does

/** One request for a card at a time: a second click is no second act. */
async function actOn(id, work) {
  if (view.asked.has(id)) return
  view.asked.add(id)
  const element = [...document.querySelectorAll('[data-card]')].find(element => element.dataset.card === id)
  element?.setAttribute('aria-busy', 'true')
  try {
    await work(view.snapshot?.cards.find(card => card.id === id)?.title ?? '')
  } catch (error) {
    if (error.status === undefined) throw error
    complain(error)
  } finally {
    view.asked.delete(id)
    element?.removeAttribute('aria-busy')
  }
}

const path = (id, verb) => `/api/cards/${encodeURIComponent(id)}/${verb}`

const accept = id => actOn(id, async title => {
  const { intent } = await ask('POST', path(id, 'accept'))
  announce(say('accepted', { title }))
  showIntent(intent)
})

const assign = (id, session) => actOn(id, async title => {
  const { intent } = await ask('POST', path(id, 'assign'), { session })
  announce(say('assigned', { title }))
  showIntent(intent)
})

const dismiss = id => actOn(id, async title => {
  await ask('POST', path(id, 'dismiss'))
  announce(say('dismissed', { title }))
})

async function suggest(session) {
  const { cards, asking } = await ask('POST', `/api/sessions/${encodeURIComponent(session)}/suggest`)
  if (asking) toast(say('asking'), 'calm')
  else if (cards === 0) toast(say('nothingFound', { name: label(heroOf(session), view.sessions) }), 'calm')
}

async function dismissAll() {
  if (view.snapshot === null || view.snapshot.cards.length === 0) return
  await attempt(async () => {
    const { dismissed } = await ask('POST', '/api/cards/dismiss-all')
    announce(say('dismissedAll', { n: dismissed.length }))
  })
}

async function attempt(work) {
  try {
    await work()
  } catch (error) {
    if (error.status === undefined) throw error
    complain(error)
  }
}

document.addEventListener('click', event => {
  const button = event.target.closest?.('button[data-act]')
  if (!button) return
  const session = button.closest('[data-session]')?.dataset.session
  const card = button.closest('[data-card]')?.dataset.card
  if (button.dataset.act === 'suggest') attempt(() => suggest(session))
  else if (button.dataset.act === 'accept') accept(card)
  else if (button.dataset.act === 'dismiss') dismiss(card)
  else if (button.dataset.act === 'assign') {
    const select = button.closest('.pair').querySelector('select')
    if (select.value === '') select.focus()
    else assign(card, select.value)
  }
})

at('dismiss-all').addEventListener('click', () => {
  at('confirm-text').textContent = say('confirmAll', { n: view.snapshot?.cards.length ?? 0 })
  at('confirm').returnValue = 'no'
  at('confirm').showModal()
})
at('confirm').addEventListener('close', () => { if (at('confirm').returnValue === 'yes') dismissAll() })

at('keys-open').addEventListener('click', () => at('keys').showModal())

at('intent-close').addEventListener('click', () => {
  at('intent').hidden = true
  view.intent = null
  at('board').focus({ preventScroll: true })
})

at('intent-copy').addEventListener('click', async () => {
  const text = view.intent?.prompt ?? ''
  let isCopied = false
  try {
    await navigator.clipboard.writeText(text)
    isCopied = true
  } catch {
    // Pages that are not served in a secure way have no clipboard: the selection is left for the person.
    getSelection().selectAllChildren(at('intent-prompt'))
  }
  at('intent-copy').textContent = say(isCopied ? 'copied' : 'copyFailed')
  announce(say(isCopied ? 'copied' : 'copyFailed'))
})

at('reply-form').addEventListener('submit', event => {
  event.preventDefault()
  const session = at('reply-session').value
  const text = at('reply-text').value
  if (session === '') return at('reply-session').focus()
  if (text.trim() === '') return at('reply-text').focus()
  attempt(async () => {
    const { intent } = await ask('POST', `/api/sessions/${encodeURIComponent(session)}/reply`, { text })
    at('reply-text').value = ''
    at('reply-form').classList.remove('begun')
    showIntent(intent)
  })
})

at('reply-form').addEventListener('input', () => at('reply-form').classList.toggle('begun', at('reply-text').value !== ''))

at('reply-text').addEventListener('keydown', event => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing) at('reply-form').requestSubmit()
  if (event.key === 'Escape' && !event.isComposing) at('board').focus({ preventScroll: true })
})

const isTyping = target => target instanceof Element && target.closest('input, textarea, select, [contenteditable]:not([contenteditable=false])') !== null

document.addEventListener('keydown', event => {
  if (event.defaultPrevented || event.repeat || event.isComposing || event.keyCode === 229) return
  if (event.ctrlKey || event.metaKey || isTyping(event.target) || document.querySelector('dialog[open]')) return
  if (event.altKey) {
    if (event.code === 'KeyX') {
      event.preventDefault()
      dismissAll()
    } else if (event.code === 'KeyR') {
      event.preventDefault()
      at('reply-text').focus()
    }
    return
  }
  if (event.key === '?') {
    event.preventDefault()
    at('keys').showModal()
    return
  }
  const index = ['1', '2', '3'].indexOf(event.key)
  if (index < 0) return
  event.preventDefault()
  const key = keys[index]
  if (key === undefined) announce(say('noCard'))
  else if (performance.now() - key.since < SETTLING) announce(say('changed'))
  else accept(key.id)
})

at('login-form').addEventListener('submit', async event => {
  event.preventDefault()
  const error = at('login-error')
  error.hidden = true
  setToken(at('token').value.trim())
  try {
    await ask('GET', '/api/sessions')
  } catch (refused) {
    setToken(null)
    error.textContent = refused.status === 401 ? say('loginWrong') : say('failed', { why: say('unreachable') })
    error.hidden = false
    return
  }
  at('token').value = ''
  begin()
})

setInterval(() => {
  if (view.snapshot === null) return
  for (const element of document.querySelectorAll('[data-card]')) {
    const card = view.snapshot.cards.find(card => card.id === element.dataset.card)
    if (card) paintAge(element, card)
  }
  for (const element of document.querySelectorAll('.summary .age')) element.textContent = age(Date.parse(element.dateTime))
}, 10_000)

function begin() {
  view.state = ''
  if (connection === null) connection = follow(told, stands)
  else connection.connect()
}

translate()
draw()
stands('connecting')
const opened = await redeem()
if (hasToken()) begin()
else {
  stands('locked')
  if (opened === 'used') {
    at('login-error').textContent = say('usedLink')
    at('login-error').hidden = false
  }
}
