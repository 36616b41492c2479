/** The browser half: a throw here would take the whole page down, so none leaves. */
import { makeBar } from './bar.ts'
import { copy } from './copy.ts'
import { Feed } from './feed.ts'
import type { PageContext, React } from './host.ts'
import { addStyle } from './style.ts'

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
  const Bar = makeBar(react)
  ctx.effect(() => addStyle(), 'suggest: style')
  ctx.effect(() => ctx.locale.register('suggest', copy), 'suggest: copy')
  const feed = new Feed({
    rpc: (method, args) => ctx.connection.rpc.call('/api', `suggestBar/${method}`, { args }),
    command: (session, line) => ctx.remote.commands.execute(session, line, []),
  })
  ctx.effect(() => feed.start(), 'suggest: events')
  ctx.slots.inject('conversation.input.dock', () =>
    ctx.slots.register(
      {
        name: 'conversation.input.dock',
        id: 'suggest',
        // Under the todo list (0), the goal (10) and the queue (20), immediately above the input.
        order: 30,
        locale: 'suggest',
        inject: (session: string) => ({
          sessionId: session,
          hooks: { suggest: feed.store(session) },
          verb: (line: string) => feed.verb(session, line),
          pull: () => void feed.pull(session),
        }),
      },
      Bar,
    ),
  )
}
