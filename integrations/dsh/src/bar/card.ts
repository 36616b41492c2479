/** The advisor's settings: nine keys of the plugin's row, saved into it. */
import type { ChangeEvent, FunctionComponent, ReactNode } from 'react'
import { KEYS, type AdvisorConfig, type Settings } from '../common/advisor.ts'
import type { SettingsCalls } from './calls.ts'
import { pairSelects } from './choice.ts'
import { copy, sentence, type Key } from './copy.ts'
import type { React } from './host.ts'

export interface CardProps {
  calls: SettingsCalls
  t(key: string): string
  /** Newer hosts draw a summary beside the page. */
  view?: string
}

/** A person's changes on top of what stands now. */
export function rebased(draft: AdvisorConfig, from: AdvisorConfig, now: AdvisorConfig): AdvisorConfig {
  const own = Object.fromEntries(KEYS.filter(key => draft[key] !== from[key]).map(key => [key, draft[key]]))
  return { ...now, ...own }
}

export function makeCard(react: React): FunctionComponent<CardProps> {
  const { createElement: h, useEffect, useRef, useState } = react

  return function Card(props) {
    const [settings, setSettings] = useState<Settings | 'none' | undefined>(undefined)
    const [draft, setDraft] = useState<AdvisorConfig | undefined>(undefined)
    const [busy, setBusy] = useState(false)
    const [said, setSaid] = useState<{ text: string; error: boolean } | undefined>(undefined)
    const [efforts, setEfforts] = useState<readonly string[]>([])
    const whole = useRef<HTMLElement>(null)
    const t = (key: Key): string => {
      const text = props.t(key)
      return text === key || text === '' ? copy.en[key] : text
    }
    const take = (next: Settings): void => {
      setSettings(next)
      setDraft(next.config)
    }
    const summary = props.view === 'summary'
    useEffect(() => {
      if (summary) return
      let gone = false
      props.calls.get().then(next => void (gone || take(next)), () => void (gone || setSettings('none')))
      return () => {
        gone = true
      }
    }, [summary])

    // What was pressed or typed in is disabled during a save; whoever works with the keyboard goes on from here.
    useEffect(() => {
      if (!busy && document.activeElement === document.body) whole.current?.focus()
    }, [busy])

    const { provider = '', model = '' } = draft ?? {}
    useEffect(() => {
      let gone = false
      setEfforts([])
      if (provider !== '' && model !== '') props.calls.efforts(provider, model).then(efforts => void (gone || setEfforts(efforts)), () => {})
      return () => {
        gone = true
      }
    }, [provider, model])

    if (summary) return h('span', null, t('advisorAbout'))
    if (settings === 'none') return h('p', { className: 'suggest-card-note' }, t('noCalls'))
    if (settings === undefined || draft === undefined) return h('p', { className: 'suggest-card-note' }, t('loading'))

    const edit = (change: Partial<AdvisorConfig>): void => {
      setDraft({ ...draft, ...change })
      setSaid(undefined)
    }
    const changed = JSON.stringify(draft) !== JSON.stringify(settings.config)
    const complete = draft.provider !== '' && draft.model !== ''
    const numbers = [draft.immuneTurns, draft.maxDeltaMessages].every(value => Number.isSafeInteger(value) && value >= 0)
    const fixed = busy || settings.readonly !== null
    const save = (): void => {
      setBusy(true)
      props.calls.set(draft, settings.revision).then(
        answer => {
          setBusy(false)
          if (answer.saved) {
            take(answer.settings)
            setSaid({ text: t('saved'), error: false })
          } else {
            const chinese = t('advisor') === copy.zh.advisor
            const why = answer.code === 'changed' ? t('changedMeanwhile') : sentence(chinese, { code: answer.code, message: answer.reason })
            setSaid({ text: `${t('notSaved')}: ${why}`, error: true })
            if (answer.code === 'changed') props.calls.get().then(next => {
              setSettings(next)
              setDraft(rebased(draft, settings.config, next.config))
            }, () => {})
          }
        },
        () => {
          setBusy(false)
          setSaid({ text: `${t('notSaved')}: ${t('unlinkedHint')}`, error: true })
        },
      )
    }

    const field = (key: Key, hint: Key, input: ReactNode): ReactNode =>
      h('label', { key, className: 'suggest-field', htmlFor: `suggest-card-${key}` }, h('span', { className: 'suggest-field-label' }, t(key)), input, h('span', { className: 'suggest-field-hint' }, t(hint)))
    const common = (key: keyof AdvisorConfig): Record<string, unknown> => ({ id: `suggest-card-${key}`, 'data-suggest-field': key, className: 'suggest-input', disabled: fixed })
    const number = (key: 'immuneTurns' | 'maxDeltaMessages', hint: Key): ReactNode =>
      field(key, hint, h('input', { ...common(key), type: 'number', min: 0, step: 1, value: Number.isNaN(draft[key]) ? '' : draft[key], onChange: (event: ChangeEvent<HTMLInputElement>) => edit({ [key]: event.target.valueAsNumber }) }))
    const flag = (key: 'proseFallback' | 'nextPrompt' | 'defaultEnabled'): ReactNode =>
      h('label', { key, className: 'suggest-check' }, h('input', { type: 'checkbox', 'data-suggest-field': key, checked: draft[key], disabled: fixed, onChange: (event: ChangeEvent<HTMLInputElement>) => edit({ [key]: event.target.checked }) }), t(key))

    const note = said ?? (settings.readonly !== null ? { text: t('readonly'), error: true } : !numbers ? { text: t('wholeNumbers'), error: true } : !complete ? { text: t('required'), error: changed } : settings.problem !== null && !changed ? { text: settings.problem, error: true } : undefined)
    return h(
      'section',
      { ref: whole, tabIndex: -1, className: 'suggest-card', 'data-suggest-card': '', 'aria-label': t('advisor') },
      h('p', { className: 'suggest-card-note' }, t('advisorAbout')),
      h('div', { className: 'suggest-card-pair' }, ...pairSelects(react, t, settings.providers, draft, edit, fixed, 'suggest-card')),
      field('systemPrompt', 'systemPromptHint', h('textarea', { ...common('systemPrompt'), rows: 3, value: draft.systemPrompt, onChange: (event: ChangeEvent<HTMLTextAreaElement>) => edit({ systemPrompt: event.target.value }) })),
      h('div', { className: 'suggest-card-pair' }, number('immuneTurns', 'immuneTurnsHint'), number('maxDeltaMessages', 'maxDeltaMessagesHint')),
      // What the model declares, where the host knows; what is set stays choosable.
      field(
        'reasoningEffort',
        'reasoningEffortHint',
        efforts.length === 0
          ? h('input', { ...common('reasoningEffort'), type: 'text', value: draft.reasoningEffort, onChange: (event: ChangeEvent<HTMLInputElement>) => edit({ reasoningEffort: event.target.value }) })
          : h(
              'select',
              { ...common('reasoningEffort'), value: draft.reasoningEffort, onChange: (event: ChangeEvent<HTMLSelectElement>) => edit({ reasoningEffort: event.target.value }) },
              ...['', ...efforts, ...(draft.reasoningEffort === '' || efforts.includes(draft.reasoningEffort) ? [] : [draft.reasoningEffort])].map(effort => h('option', { key: effort, value: effort }, effort === '' ? t('automatic') : effort)),
            ),
      ),
      flag('nextPrompt'),
      flag('defaultEnabled'),
      flag('proseFallback'),
      h(
        'div',
        { className: 'suggest-card-foot' },
        h('p', { className: 'suggest-card-note', role: note?.error === true ? 'alert' : 'status', 'data-tone': note?.error === true ? 'error' : undefined, 'data-suggest-said': '' }, note?.text ?? ''),
        h('button', { type: 'button', className: 'suggest-button', 'data-suggest-action': 'discard', disabled: busy || !changed, onClick: () => { setDraft(settings.config); setSaid(undefined) } }, t('discard')),
        h('button', { type: 'button', className: 'suggest-button', 'data-main': '', 'data-suggest-action': 'save', disabled: fixed || !changed || !complete || !numbers, onClick: save }, t('save')),
      ),
    )
  }
}
