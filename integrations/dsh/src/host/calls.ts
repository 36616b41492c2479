/** Calls of the pages through the host's own channel: they pass its trust fence and leave no trace in a session's log. */
import type { Context, Typert } from './types.ts'

type Call = (...args: unknown[]) => unknown

/** Contributes a namespace: each method with the names of its parameters. */
export function contribute(ctx: Context, typert: Typert, owner: string, namespace: string, methods: Record<string, [run: Call, ...parameters: string[]]>): void {
  const service: Record<string, unknown> = {}
  for (const [name, [run]] of Object.entries(methods)) service[name] = run
  // The service that the host looks up has a name of its own: `advisor` may be another plugin's.
  const key = namespace === 'suggestBar' ? namespace : `suggest_${namespace}`
  service['typertRemote'] = { service, serviceKey: key, namespace }
  const text = (name: string): unknown => ({ name, wire: name, source: 'json', codec: { mode: 'src-json' } })
  ctx.provide?.(key, service)
  typert.register({
    // The host takes one contribution of a name.
    package: namespace === 'suggestBar' ? owner : `${owner}-${namespace}`,
    face: 'host',
    schemas: [],
    model: { services: [], events: [], objects: [] },
    invocations: Object.entries(methods).map(([method, [, ...parameters]]) => ({
      id: `${owner}#${namespace}/${method}`,
      service: key,
      namespace,
      method,
      invocation: { kind: 'direct' },
      parameters: parameters.map(text),
      result: { mode: 'src-json' },
    })),
  })
}
