// Stands for a terminal front end: one session without any page. It reads what a person would type, a line of JSON each,
// and says what came of it.
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'

export const name = 'e2e-terminal'
export const inject = ['agents', 'agentDefaultModel', 'commands']

export function apply(ctx) {
  const say = value => process.stdout.write(`@@${JSON.stringify(value)}\n`)
  const start = async () => {
    await ctx.get('loader')?.await()
    const { provider, model } = ctx.get('agentDefaultModel').currentSelection()
    const { agent } = await ctx.get('agents').create({ sessionId: `session-${randomUUID()}`, meta: { cwd: process.cwd() }, agentOptions: { provider, model } })
    say({ session: agent.id })
    createInterface({ input: process.stdin }).on('line', line => {
      const { prompt, command, id } = JSON.parse(line)
      if (prompt !== undefined) agent.followup({ id: randomUUID(), role: 'user', content: [{ type: 'text', text: prompt }], source: { kind: 'user' } })
      else {
        ctx.get('commands').execute(agent, command, [], new AbortController().signal).then(
          execution => say({ id, ...(execution?.result ?? { kind: 'unknown' }) }),
          error => say({ id, kind: 'error', text: String(error) }),
        )
      }
    })
  }
  start().catch(error => say({ error: String(error?.stack ?? error) }))
}
