/**
 * dsh does not contain the faults of a plugin: an unhandled rejection ends it. So every function that the host or a
 * stream calls goes through one of these.
 */
import type { Logger } from './types.ts'

/** Says what went wrong without the text of anybody's messages. */
export function describe(error: unknown): string {
  if (error instanceof Error) {
    const code = (error as { code?: unknown }).code
    const message = error.message.replace(/\s+/g, ' ').slice(0, 200)
    return typeof code === 'string' ? `${code}: ${message}` : message
  }
  return typeof error
}

/** Wraps a listener, so that neither a throw nor a rejection leaves it. */
export function guarded<A extends unknown[]>(log: Logger, what: string, run: (...args: A) => unknown): (...args: A) => void {
  return (...args) => {
    try {
      const result = run(...args)
      if (result instanceof Promise) result.catch(error => log.warn(`${what}: ${describe(error)}`))
    } catch (error) {
      log.warn(`${what}: ${describe(error)}`)
    }
  }
}

/** The value, or the fallback when it cannot be had. */
export function attempt<T, F>(run: () => T, fallback: F): T | F {
  try {
    return run()
  } catch {
    return fallback
  }
}

/** A record, or nothing. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
}
