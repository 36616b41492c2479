/** Two selects for a provider and one of its models, from what the host has. What is set stays choosable though not listed. */
import type { ChangeEvent, ReactNode } from 'react'
import type { Provider } from '../common/advisor.ts'
import type { Key } from './copy.ts'
import type { React } from './host.ts'

export interface Pair {
  provider: string
  model: string
}

export function pairSelects({ createElement: h }: React, t: (key: Key) => string, providers: readonly Provider[], pair: Pair, change: (pair: Pair) => void, disabled: boolean, id: string): ReactNode[] {
  const provider = providers.find(({ id }) => id === pair.provider)
  const select = (key: 'provider' | 'model', options: readonly { id: string; name: string }[], onChange: (value: string) => void): ReactNode => {
    const value = pair[key]
    const all = value === '' || options.some(({ id }) => id === value) ? options : [{ id: value, name: value }, ...options]
    return h(
      'label',
      { key, className: 'suggest-field', htmlFor: `${id}-${key}` },
      h('span', { className: 'suggest-field-label' }, t(key)),
      h(
        'select',
        { id: `${id}-${key}`, className: 'suggest-input', 'data-suggest-field': key, value, disabled: disabled || all.length === 0, onChange: (event: ChangeEvent<HTMLSelectElement>) => onChange(event.target.value) },
        h('option', { key: '', value: '' }, t('choose')),
        ...all.map(({ id, name }) => h('option', { key: id, value: id }, name)),
      ),
    )
  }
  return [
    select('provider', providers, value => {
      const models = providers.find(({ id }) => id === value)?.models ?? []
      change({ provider: value, model: models.length === 1 && models[0] !== undefined ? models[0].id : '' })
    }),
    select('model', provider?.models ?? [], value => change({ ...pair, model: value })),
  ]
}
