/** The engine's description of the protocol, and as much of JSON Schema as it uses. */
import { readFileSync } from 'node:fs'

interface Method {
  from: 'plugin' | 'sidecar'
  kind: 'request' | 'notification'
  params?: unknown
  result?: unknown
}

const document = JSON.parse(readFileSync(new URL('../../../schemas/dsh-protocol.json', import.meta.url), 'utf8'))

export const protocol = document as { protocol: number; maxLineBytes: number; methods: Record<string, Method> }

/** Where a value does not fit. */
export function problems(schema: unknown, value: unknown, at = '$'): string[] {
  if (schema === true || schema === undefined) return []
  const rules = schema as Record<string, any>
  const found: string[] = []
  if (typeof rules['$ref'] === 'string') {
    const target = rules['$ref'].slice(2).split('/').reduce((part: any, key: string) => part?.[key], document)
    if (target === undefined) return [`${at}: no ${rules['$ref']}`]
    found.push(...problems(target, value, at))
  }
  if (rules['const'] !== undefined && value !== rules['const']) found.push(`${at}: not ${rules['const']}`)
  if (rules['enum'] !== undefined && !rules['enum'].includes(value)) found.push(`${at}: not one of ${rules['enum']}`)
  for (const key of ['oneOf', 'anyOf']) {
    const options = rules[key] as unknown[] | undefined
    if (options !== undefined && !options.some(option => problems(option, value, at).length === 0)) found.push(`${at}: fits none of ${key}`)
  }
  if (rules['type'] !== undefined && ![rules['type']].flat().some(type => is(type, value))) found.push(`${at}: not ${rules['type']}`)
  if (typeof value === 'number') {
    if (rules['minimum'] !== undefined && value < rules['minimum']) found.push(`${at}: under ${rules['minimum']}`)
    if (rules['maximum'] !== undefined && value > rules['maximum']) found.push(`${at}: over ${rules['maximum']}`)
  }
  if (Array.isArray(value) && rules['items'] !== undefined) value.forEach((item, index) => found.push(...problems(rules['items'], item, `${at}[${index}]`)))
  if (is('object', value)) {
    const object = value as Record<string, unknown>
    for (const key of rules['required'] ?? []) if (object[key] === undefined) found.push(`${at}.${key}: missing`)
    for (const [key, part] of Object.entries(object)) {
      const known = rules['properties']?.[key]
      if (known !== undefined) found.push(...problems(known, part, `${at}.${key}`))
      else if (rules['additionalProperties'] === false) found.push(`${at}.${key}: unknown`)
    }
  }
  return found
}

function is(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}
