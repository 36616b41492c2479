/** The plugin's row. The plugin reads its own keys; the sidecar reads, and checks, all others. */
import { inForce } from '../common/advisor.ts'
import { asRecord } from './guard.ts'

export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

const LEVELS: readonly string[] = ['error', 'warn', 'info', 'debug'] satisfies LogLevel[]

export interface RowConfig {
  binary: string | undefined
  logLevel: LogLevel
  /** What the sidecar is given. */
  rest: Record<string, unknown>
  /** The plugin's own keys, as they are. */
  own: Record<string, unknown>
  /** Whether the row names the advisor's provider and model. */
  advises: boolean
  /** What is wrong with the plugin's own keys. */
  problem: string | undefined
}

export function readConfig(raw: unknown): RowConfig {
  if (raw !== undefined && raw !== null && asRecord(raw) === undefined) {
    return { binary: undefined, logLevel: 'info', rest: {}, own: {}, advises: false, problem: "the row's `config` must be a mapping" }
  }
  const { binary, logLevel, ...rest } = asRecord(raw) ?? {}
  const { provider, model } = inForce(rest['advisor'])
  const own = Object.fromEntries(Object.entries({ binary, logLevel }).filter(([, value]) => value !== undefined))
  const config: RowConfig = { binary: undefined, logLevel: 'info', rest, own, advises: provider.trim() !== '' && model.trim() !== '', problem: undefined }
  if (typeof binary === 'string') config.binary = binary
  else if (binary !== undefined && binary !== null) config.problem = '`binary` must be the path of a file'
  if (typeof logLevel === 'string' && LEVELS.includes(logLevel)) config.logLevel = logLevel as LogLevel
  else if (logLevel !== undefined && logLevel !== null) config.problem = `\`logLevel\` must be one of ${LEVELS.join(', ')}`
  return config
}

export function loud(level: unknown, at: LogLevel): level is LogLevel {
  const rank = LEVELS.indexOf(String(level))
  return rank >= 0 && rank <= LEVELS.indexOf(at)
}
