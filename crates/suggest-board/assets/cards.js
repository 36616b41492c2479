// Drawing cards. Model text only ever becomes text: it goes through textContent, in elements whose direction is isolated.

import { age, category, date, say } from './words.js'

/** Characters that change how others are shown or cannot be seen. They are drawn by name, so that no text can hide. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/gu

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '')
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value)
  }
  element.append(...children.filter(child => child !== null && child !== undefined))
  return element
}

/** What each element was written last: what is the same keeps its selection and its scroll. */
const written = new WeakMap()

/** Writes text of a model, a session or a person into an element. */
export function write(element, text) {
  if (written.get(element) === text) return
  const parts = []
  let end = 0
  for (const found of text.matchAll(HIDDEN)) {
    parts.push(text.slice(end, found.index))
    const name = `U+${found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`
    const mark = make('span', { class: 'hidden-character', title: name })
    mark.textContent = name
    parts.push(mark)
    end = found.index + found[0].length
  }
  parts.push(text.slice(end))
  element.replaceChildren(...parts)
  written.set(element, text)
}

const act = (name, word, extra = {}) => make('button', { type: 'button', 'data-act': name, ...extra }, word)

/** An empty card; `paint` fills it. */
export function cardElement(card) {
  const title = make('h3', { dir: 'auto', id: `title-${card.id}` })
  const element = make('li', { class: 'card', 'data-card': card.id, 'aria-labelledby': `title-${card.id}` },
    make('div', { class: 'head' }, make('kbd', { class: 'key', hidden: true }), title),
    make('p', { class: 'reason', dir: 'auto' }),
    make('pre', { class: 'prompt', dir: 'auto', tabindex: '0', role: 'group', 'aria-label': say('prompt') }),
    make('p', { class: 'facts' },
      make('span', { class: 'tag priority' }), make('span', { class: 'tag category', dir: 'auto' }), make('span', { class: 'tag origin' }), make('span', { class: 'tag freshness' }), make('time', { class: 'age' })),
    make('div', { class: 'acts' },
      act('accept', say('accept'), { class: 'main', 'aria-describedby': `title-${card.id}` }),
      make('span', { class: 'pair' },
        make('select', { class: 'assignee', 'aria-label': say('assignTo') }),
        act('assign', say('assign'), { 'aria-describedby': `title-${card.id}` })),
      make('p', { class: 'why', hidden: true }, say('staleHint')),
      act('dismiss', say('dismiss'), { class: 'quiet', 'aria-describedby': `title-${card.id}` })))
  // What a card says never changes under its id.
  write(title, card.title)
  write(element.querySelector('.reason'), card.text)
  write(element.querySelector('.prompt'), card.prompt)
  write(element.querySelector('.category'), category(card.category))
  const priority = element.querySelector('.priority')
  priority.dataset.priority = card.priority
  priority.textContent = say('priority', { word: say(card.priority) })
  const origin = element.querySelector('.origin')
  origin.textContent = say(card.origin)
  origin.title = say(card.origin === 'model' ? 'originModel' : 'originLocal')
  return element
}

/** Shows what can change of a card: its key, its freshness, its age, and where it can go. */
export function paintCard(element, card, key, idle) {
  element.classList.toggle('stale', card.stale)
  const badge = element.querySelector('.key')
  badge.hidden = key === null
  badge.textContent = key ?? ''
  const accept = element.querySelector('[data-act=accept]')
  if (key === null) accept.removeAttribute('aria-keyshortcuts')
  else accept.setAttribute('aria-keyshortcuts', key)
  // What cannot be done with a stale card is not there; the reason is.
  accept.hidden = accept.disabled = card.stale
  element.querySelector('.pair').hidden = card.stale
  element.querySelector('.why').hidden = !card.stale
  const freshness = element.querySelector('.freshness')
  freshness.textContent = say(card.stale ? 'stale' : 'fresh')
  paintAge(element, card)
  fill(element.querySelector('.assignee'), idle, say(idle.length === 0 ? 'noneIdle' : 'chooseSession'))
  element.querySelector('.assignee').disabled = card.stale || idle.length === 0
  element.querySelector('[data-act=assign]').disabled = card.stale || idle.length === 0
}

export function paintAge(element, card) {
  const time = element.querySelector('.age')
  time.dateTime = new Date(card.created_at).toISOString()
  time.textContent = age(card.created_at)
  time.title = date(card.created_at)
}

/** Longer lists are filled when somebody comes to them. */
const LONG = 50
/** What a list of sessions comes to, made once for all that show it. */
const keys = new WeakMap()
/** What each list shows, and what it shows once somebody comes to it. */
const filled = new WeakMap()
const waiting = new WeakMap()

document.addEventListener('focusin', event => {
  const wanted = waiting.get(event.target)
  if (wanted) fill(event.target, ...wanted)
})

/** Fills a list of sessions and keeps what is chosen. */
export function fill(select, sessions, first) {
  if (sessions.length > LONG && document.activeElement !== select && select.value === '') {
    waiting.set(select, [sessions, first])
    sessions = []
  } else waiting.delete(select)
  if (!keys.has(sessions)) keys.set(sessions, JSON.stringify(sessions.map(hero => [hero.session, hero.name])))
  const wanted = first + keys.get(sessions)
  if (filled.get(select) === wanted) return
  filled.set(select, wanted)
  const chosen = select.value
  select.replaceChildren(new Option(first, ''), ...sessions.map(hero => {
    const option = new Option(label(hero, sessions), hero.session)
    option.dir = 'auto'
    return option
  }))
  select.value = sessions.some(hero => hero.session === chosen) ? chosen : ''
}

/** A name, with the end of the id where two share the name. */
export function label(hero, all) {
  const name = visible(hero.name)
  if (!counted.has(all)) {
    const counts = new Map()
    for (const other of all) {
      for (const key of [other.name, `${other.name}\n${end(other.session)}`]) counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    counted.set(all, counts)
  }
  const counts = counted.get(all)
  if ((counts.get(hero.name) ?? 0) < 2) return name
  const id = counts.get(`${hero.name}\n${end(hero.session)}`) < 2 ? end(hero.session) : hero.session
  return `${name} · ${visible(id)}`
}

/** How often each name stands in a list of sessions. */
const counted = new WeakMap()
const end = id => id.length > 12 ? `…${id.slice(-8)}` : id

const visible = text => text.replace(HIDDEN, '\ufffd').slice(0, 80)

/** A session's group: its head, its summary and a list for its cards. */
export function groupElement(session) {
  return make('section', { class: 'group', 'data-session': session },
    make('header', {},
      make('h2', { dir: 'auto' }), make('span', { class: 'tag status' }), make('span', { class: 'id', dir: 'ltr' }),
      act('suggest', say('suggestNow'), { class: 'quiet', hidden: true })),
    make('div', { class: 'summary', hidden: true },
      make('h4', {}, say('summary')), make('p', { class: 'told', dir: 'auto' }),
      make('h4', { class: 'left', hidden: true }, say('followUps')),
      make('ul', { class: 'follow-ups', 'aria-label': say('followUps') }), make('p', { class: 'facts' }, make('span', { class: 'tag origin' }), make('time', { class: 'age' }))),
    make('ul', { class: 'cards' }))
}

export function paintGroup(element, hero, summary) {
  const head = element.querySelector('h2')
  write(head, hero.name)
  head.id ||= `group-${crypto.randomUUID?.() ?? Math.random().toString(36).slice(2)}`
  element.setAttribute('aria-labelledby', head.id)
  const status = element.querySelector('.status')
  status.dataset.status = hero.status
  status.textContent = say(hero.status)
  const id = element.querySelector('.id')
  write(id, hero.name === hero.session ? '' : hero.session)
  id.title = hero.workspace ?? ''
  element.querySelector('[data-act=suggest]').hidden = hero.status !== 'idle'
  const place = element.querySelector('.summary')
  place.hidden = summary === undefined
  if (summary === undefined) return
  write(place.querySelector('.told'), summary.text)
  const left = place.querySelector('.follow-ups')
  const lines = summary.follow_ups ?? []
  left.hidden = place.querySelector('.left').hidden = lines.length === 0
  left.replaceChildren(...lines.map(line => {
    const item = make('li', { dir: 'auto' })
    write(item, line)
    return item
  }))
  place.querySelector('.origin').textContent = say(summary.origin)
  const time = place.querySelector('.age')
  time.dateTime = new Date(summary.updated_at).toISOString()
  time.textContent = age(summary.updated_at)
  time.title = date(summary.updated_at)
}
