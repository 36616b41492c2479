/** The browser half: a throw here would take the whole page down, so none leaves. */
import { makeBar } from './bar.ts'
import { SettingsCalls } from './calls.ts'
import { makeCard } from './card.ts'
import { copy } from './copy.ts'
import { Feed } from './feed.ts'
import { makeHeader } from './header.ts'
import { offerMenu } from './menu.ts'
import type { PageContext, React } from './host.ts'
import { addStyle } from './style.ts'
import { makeTip } from './tip.ts'

declare function require(name: string): unknown

/** Services that every known host has; one that is not known here would keep the page from loading. */
export const inject = ['slots', 'locale', 'remote', 'remote.commands', 'connection']

export function apply(ctx: PageContext): void {
  try {
    start(ctx)
  } catch (error) {
    console.warn('dsh-suggest: the bar cannot start', error)
  }
}

function start(ctx: PageContext): void {
  const react = require('react') as React
  ctx.effect(() => addStyle(), 'suggest: style')
  ctx.effect(() => ctx.locale.register('suggest', copy), 'suggest: copy')
  const feed = new Feed({
    rpc: (method, args) => ctx.connection.rpc.call('/api', `suggestBar/${method}`, { args }),
    command: (session, line) => ctx.remote.commands.execute(session, line, []),
  })
  ctx.effect(() => feed.start(), 'suggest: events')
  const calls = new SettingsCalls((endpoint, args) => ctx.connection.rpc.call('/api', endpoint, { args }))
  const ofSession = (session: string): Record<string, unknown> => ({
    sessionId: session,
    hooks: { suggest: feed.store(session) },
    verb: (line: string) => feed.verb(session, line),
    pull: () => void feed.pull(session),
    calls,
  })
  // A slot that this host does not have is never asked for; one that it refuses is no reason to lose the others.
  const fill = (slot: string, entry: Record<string, unknown>, component: unknown): void => {
    try {
      ctx.slots.inject(slot, () => ctx.slots.register({ name: slot, locale: 'suggest', ...entry }, component))
    } catch (error) {
      console.warn(`dsh-suggest: nothing in ${slot}`, error)
    }
  }
  offerMenu(ctx, {
    verb: (session, line) => feed.verb(session, line),
    say: (session, line) => ctx.remote.commands.execute(session, `/suggest ${line}`, []),
    fill: (session, text) => feed.fill(session, text),
  })
  // Under the todo list (0), the goal (10) and the queue (20), immediately above the input.
  fill('conversation.input.dock', { id: 'suggest', order: 30, inject: ofSession }, makeBar(react))
  fill('conversation.composer.dock', { id: 'suggest-tip', order: -10, inject: ofSession }, makeTip(react))
  fill('conversation.session.header.actions', { id: 'suggest-advisor', order: 30, inject: ofSession }, makeHeader(react))
  const Card = makeCard(react)
  const label = (): string => ctx.locale.bind?.('suggest')('advisor') ?? copy.en.advisor
  fill('settings.plugins.tab', { id: 'suggest-advisor', order: 40, label, inject: () => ({ calls }) }, Card)
  fill('plugins.bundle.config', { key: 'dsh-suggest', inject: () => ({ calls }) }, Card)
}
