/**
 * What `/suggest` without words opens in the page: the open cards of the session, and the verbs. With words it is a
 * command like any other, and on hosts without this menu it always is.
 */
import type { VerbAnswer } from '../common/state.ts'
import { copy, type Key } from './copy.ts'
import type { PageContext } from './host.ts'

export interface Option {
  /** The words behind `/suggest`. */
  id: string
  label: string
  detail?: string
}

interface Menus {
  decorate?(decoration: {
    name: string
    available: () => boolean
    ui: { kind: 'popupSelect'; options: (session: { sessionId: string }) => Promise<Option[]>; onSelect: (option: Option, session: { sessionId: string }) => Promise<void> }
  }): () => void
}

export interface MenuCalls {
  /** A verb whose answer the page itself takes. */
  verb(session: string, line: string): Promise<VerbAnswer>
  /** A verb whose answer stands in the chat. */
  say(session: string, line: string): Promise<unknown>
  fill(session: string, text: string): void
}

const VERBS: [string, Key][] = [
  ['cards', 'menuCards'],
  ['state', 'menuState'],
  ['model', 'menuModel'],
  ['on', 'menuOn'],
  ['off', 'menuOff'],
  ['run', 'menuRun'],
  ['retry', 'menuRetry'],
  ['autorun on', 'menuAutorunOn'],
  ['autorun off', 'menuAutorunOff'],
  ['report', 'menuReport'],
  ['summary', 'menuSummary'],
  ['help', 'menuHelp'],
]

/** The cards in a list as it is printed: an id and a title, and further down the prompt. */
export function cardsOf(list: string): { id: string; title: string; prompt: string; stale: boolean }[] {
  const cards: { id: string; title: string; prompt: string; stale: boolean }[] = []
  for (const line of list.split('\n')) {
    const head = /^([0-9a-f]{8}) {2}(\S.*)$/.exec(line)
    const last = cards.at(-1)
    if (head !== null) cards.push({ id: head[1] ?? '', title: head[2] ?? '', prompt: '', stale: false })
    else if (last !== undefined && line.startsWith('  > ')) last.prompt += `${last.prompt === '' ? '' : ' '}${line.slice(4)}`
    else if (last !== undefined && / · stale: /.test(line)) last.stale = true
  }
  return cards
}

export async function optionsOf(calls: MenuCalls, session: string, t: (key: Key) => string): Promise<Option[]> {
  const { text } = await calls.verb(session, 'cards')
  // A stale card can only be dismissed.
  const cards = cardsOf(text).filter(card => !card.stale)
  return [
    ...cards.map(({ id, title, prompt }) => ({ id: `cards accept ${id}`, label: title, detail: prompt })),
    ...VERBS.map(([id, key]) => ({ id, label: id, detail: t(key) })),
  ]
}

export async function choose(calls: MenuCalls, session: string, line: string): Promise<void> {
  if (!line.startsWith('cards accept ')) {
    await calls.say(session, line)
    return
  }
  const answer = await calls.verb(session, line)
  if (answer.fill !== undefined) calls.fill(session, answer.fill)
  else if (answer.code !== 'ok') throw new Error(answer.text)
}

export function offerMenu(ctx: PageContext, calls: MenuCalls): void {
  const t = (key: Key): string => {
    const text = ctx.locale.bind?.('suggest')(key)
    return text === undefined || text === key || text === '' ? copy.en[key] : text
  }
  ctx.inject?.(['commandUi'], scope => {
    try {
      const menus = scope.get?.('commandUi') as Menus | undefined
      if (menus?.decorate === undefined) return
      const { decorate } = menus
      const ui = {
        kind: 'popupSelect' as const,
        options: ({ sessionId }: { sessionId: string }) => optionsOf(calls, sessionId, t),
        onSelect: (option: Option, { sessionId }: { sessionId: string }) => choose(calls, sessionId, option.id),
      }
      scope.effect(() => decorate.call(menus, { name: 'suggest', available: () => true, ui }), 'suggest: menu')
    } catch (error) {
      console.warn('dsh-suggest: no menu of /suggest', error)
    }
  })
}
