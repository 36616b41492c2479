/**
 * dsh-suggest: what dsh loads. It must never throw, whatever the host or the configuration: a plugin that does keeps
 * dsh from starting.
 */
import { mount } from './host/plugin.ts'
import type { Context } from './host/types.ts'

export const name = 'suggest'

/** Nothing is required: a service that a composition lacks would keep dsh from starting. */
export const inject: string[] = []

export function apply(ctx: Context, config?: unknown): void {
  try {
    mount(ctx, config)
  } catch (error) {
    try {
      ctx.logger('suggest').error(`not started: ${error instanceof Error ? error.message : 'unknown error'}`)
    } catch {
      // There is nobody to tell.
    }
  }
}
