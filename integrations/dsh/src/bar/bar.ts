/** The row above the input. It shows what it is given, and never acts but on a click. */
import type { CSSProperties, FunctionComponent, KeyboardEvent, MouseEvent, ReactNode } from 'react'
import type { VerbAnswer } from '../common/state.ts'
import { copy, type Key } from './copy.ts'
import type { View } from './feed.ts'
import { fillInput } from './fill.ts'
import type { InputActions, React, SessionView } from './host.ts'
import { look } from './look.ts'

export interface BarProps {
  sessionId?: string
  useSuggest<T>(select: (view: View) => T): T
  useSession<T>(select: (session: SessionView) => T): T
  useInput<T>(select: (input: { draft: string }) => T): T
  inputActions: InputActions
  t(key: string): string
  verb(line: string): Promise<VerbAnswer>
  pull(): void
}

/** A command stays in the input until its answer came; on a busy machine that takes its time. */
const MOST_LOOKS = 400

/** What the second click led to. */
type Filling = { step: 'none' } | { step: 'ask'; text: string } | { step: 'check'; text: string } | { step: 'done'; text: string } | { step: 'cannot' }

export function makeBar(react: React): FunctionComponent<BarProps> {
  const { createElement: h, useEffect, useRef, useState } = react

  return function Bar(props) {
    const view = props.useSuggest(view => view)
    const running = props.useSession(session => session.running)
    const subagent = props.useSession(session => session.subagent)
    const draft = props.useInput(input => input.draft)
    const [expanded, setExpanded] = useState(false)
    const [filling, setFilling] = useState<Filling>({ step: 'none' })
    const [asked, setAsked] = useState<string | undefined>(undefined)
    const [refusal, setRefusal] = useState<string | undefined>(undefined)
    const dock = useRef<HTMLDivElement>(null)
    const refocus = useRef(false)
    const draftNow = useRef(draft)
    const filled = useRef(view.fill?.number ?? 0)
    draftNow.current = draft

    const t = (key: Key): string => {
      const text = props.t(key)
      return text === key || text === '' ? copy.en[key] : text
    }
    const chinese = t('ready') === copy.zh.ready
    const shown = subagent !== null && subagent !== undefined ? undefined : look(view.frame, view.connected, t, chinese)
    const offer = shown?.offer
    const queued = useQueueAbove(react, dock, shown !== undefined)

    // An edge that the page sees: where nothing is pushed, the state is asked for.
    useEffect(() => props.pull(), [running])
    // Another offer: what was opened or asked about the last one is over.
    useEffect(() => {
      setExpanded(false)
      setFilling({ step: 'none' })
      setRefusal(undefined)
    }, [offer?.id, offer?.text])
    // Opening and closing swaps the button; whoever works with the keyboard stays on it.
    useEffect(() => {
      if (!refocus.current) return
      refocus.current = false
      dock.current?.querySelector<HTMLElement>('[data-suggest-prompt]')?.focus()
    }, [expanded])
    // Read back whether the host took the text.
    useEffect(() => {
      if (filling.step !== 'check') return
      const wanted = filling.text
      let left = 20
      const timer = setInterval(() => {
        const took = draftNow.current.includes(wanted)
        if (!took && --left > 0) return
        clearInterval(timer)
        setFilling(took ? { step: 'done', text: wanted } : { step: 'cannot' })
      }, 50)
      return () => clearInterval(timer)
    }, [filling])

    // What was put into the input and is not there any more was sent or rewritten.
    useEffect(() => {
      if (filling.step === 'done' && !draft.includes(filling.text)) setFilling({ step: 'none' })
    }, [draft, filling])

    const fill = (text: string, ask: boolean): void => {
      if (ask) return setFilling({ step: 'ask', text })
      setFilling(fillInput(props.inputActions, text) ? { step: 'check', text } : { step: 'cannot' })
    }
    // A typed command brought a text: it takes the place of the command, whose answer may still be on its way.
    const brought = view.fill
    useEffect(() => {
      if (brought === undefined || brought.number <= filled.current) return
      filled.current = brought.number
      let left = MOST_LOOKS
      const settle = (): boolean => {
        const now = draftNow.current
        if (/^\/(suggest|chapters-prompt)\b/.test(now) && --left > 0) return false
        // Where nothing is shown nobody can be asked; the command's answer has the text.
        if (now === '' || shown !== undefined) fill(brought.text, now !== '')
        return true
      }
      if (settle()) return
      const timer = setInterval(() => {
        if (settle()) clearInterval(timer)
      }, 50)
      return () => clearInterval(timer)
    }, [brought?.number])

    if (shown === undefined) return null

    const act = (line: string): void => {
      if (asked !== undefined) return
      setAsked(line)
      setRefusal(undefined)
      props.verb(line).then(
        answer => {
          setAsked(undefined)
          if (answer.fill !== undefined) fill(answer.fill, draftNow.current !== '')
          else if (answer.code !== 'ok' && answer.code !== 'unlinked') setRefusal(answer.text === '' ? answer.code : answer.text)
          props.pull()
        },
        () => {
          setAsked(undefined)
          setRefusal(t('unlinkedHint'))
        },
      )
    }

    const click = (event: MouseEvent): void => {
      if (offer === undefined) return
      if (!expanded) {
        refocus.current = event.detail === 0
        return setExpanded(true)
      }
      // Selecting text of the prompt is no wish to use it.
      if (String(window.getSelection() ?? '') !== '') return
      fill(offer.text, draft !== '' && draft !== offer.text)
    }

    const run = (): void => {
      if (offer === undefined) return
      // A command is for the human to send: it goes into the input and nothing is submitted (rule D13).
      if (offer.kind === 'command') fill(offer.text, draft !== '' && draft !== offer.text)
      else act(`run ${offer.id}`)
    }

    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || !expanded) return
      event.stopPropagation()
      refocus.current = true
      setExpanded(false)
    }

    // Not `disabled` while a verb is asked: that would take the focus from whoever pressed it with a key.
    const button = (name: string, key: Key, title: Key, onClick: () => void, extra: Record<string, unknown> = {}): ReactNode =>
      h('button', { key: name, type: 'button', className: 'suggest-button', 'data-suggest-action': name, title: t(title), 'aria-label': t(title), onClick, 'aria-disabled': asked !== undefined || undefined, ...extra }, t(key))

    const actions: ReactNode[] = []
    if (shown.retry) actions.push(button('retry', 'retry', 'retryTitle', () => act('retry'), { 'aria-label': undefined }))
    if (offer !== undefined) {
      actions.push(button('run', 'run', 'runTitle', run, { 'data-main': '', disabled: !shown.run, 'aria-label': undefined }))
    }
    if (shown.autorun !== undefined) {
      const armed = shown.autorun === 'armed'
      actions.push(button('autorun', armed ? 'autorunOff' : 'autorun', armed ? 'autorunOffTitle' : 'autorunTitle', () => act(`autorun ${armed ? 'off' : 'on'}`), { 'aria-pressed': armed, 'aria-label': t('autorun') }))
    }
    if (shown.off) actions.push(button('off', 'off', 'offTitle', () => act('off'), { 'aria-label': undefined }))

    const promptId = `suggest-prompt-${props.sessionId ?? 'here'}`
    const line =
      offer === undefined
        ? h('span', { className: 'suggest-prompt', 'data-plain': '', 'data-error': shown.error ? '' : undefined, title: shown.hint }, shown.hint)
        : expanded
          ? h('span', { className: 'suggest-prompt', 'data-plain': '', style: { visibility: 'hidden' } satisfies CSSProperties, 'aria-hidden': true })
          : h('button', { type: 'button', className: 'suggest-prompt', 'data-suggest-prompt': '', title: t('expandTitle'), 'aria-expanded': false, 'aria-controls': promptId, onClick: click }, offer.text)

    const whole =
      offer !== undefined && expanded
        ? h('button', { type: 'button', id: promptId, className: 'suggest-prompt suggest-whole', 'data-suggest-prompt': '', title: t('useTitle'), 'aria-expanded': true, onClick: click }, offer.text)
        : null

    const notes: ReactNode[] = shown.notes.map(note => h('span', { key: note.id, 'data-suggest-note': note.id, 'data-tone': note.tone }, note.text))
    const say = (id: string, text: string, tone = 'plain'): void => void notes.push(h('span', { key: id, 'data-suggest-note': id, 'data-tone': tone }, text))
    if (expanded && filling.step === 'none') say('use', t('useHint'))
    if (filling.step === 'ask') {
      const { text } = filling
      // A card's prompt stands nowhere else in the bar.
      say('ask', text === offer?.text ? t('replaceAsk') : `${t('replaceAsk')} ${t('replaceWith')} ${text}`, 'strong')
      notes.push(button('replace', 'replace', 'replace', () => fill(text, false), { 'data-main': '' }), button('keep', 'keep', 'keep', () => setFilling({ step: 'none' })))
    }
    if (filling.step === 'done') say('filled', t('filled'))
    if (filling.step === 'cannot') say('cannot', t('cannotFill'), 'error')
    if (expanded) notes.push(button('collapse', 'collapse', 'collapse', () => setExpanded(false)))
    if (refusal !== undefined) say('refusal', `${t('notDone')}: ${refusal}`, 'error')

    return h(
      'div',
      { ref: dock, className: 'suggest-dock', 'data-suggest': shown.status, 'data-session': props.sessionId, 'data-queue': queued ? 'open' : undefined, onKeyDown: onKey },
      h(
        'section',
        { className: 'suggest-bar', 'data-status': shown.status, 'aria-label': t('region'), 'aria-busy': shown.status === 'analyzing' },
        h(
          'div',
          { className: 'suggest-row' },
          h('span', { className: 'suggest-icon', 'aria-hidden': true }, icon(react)),
          // The label is the state; a screen reader hears it change.
          h('span', { className: 'suggest-label', role: shown.error ? 'alert' : 'status', 'data-suggest-label': '' }, shown.label),
          line,
          offer === undefined ? null : h('span', { className: 'suggest-model', title: `${t('writtenBy')} ${offer.model}`, 'data-suggest-model': '' }, expanded ? offer.model : offer.model.slice(offer.model.indexOf('/') + 1)),
          h('div', { className: 'suggest-actions' }, ...actions),
        ),
        whole,
        notes.length === 0 ? null : h('div', { className: 'suggest-notes', 'aria-live': 'polite' }, ...notes),
      ),
    )
  }
}

/** Whether the dock right above reaches under this one, as an open queue does with its negative margin. */
function useQueueAbove({ useEffect, useState }: React, dock: { current: HTMLDivElement | null }, shown: boolean): boolean {
  const [queued, setQueued] = useState(false)
  useEffect(() => {
    const parent = dock.current?.parentElement
    if (!shown || parent === null || parent === undefined) return
    const measure = (): void => {
      let above = dock.current?.previousElementSibling ?? null
      while (above !== null && (above as HTMLElement).offsetHeight === 0) above = above.previousElementSibling
      setQueued(above !== null && Number.parseFloat(getComputedStyle(above).marginBottom) < 0)
    }
    measure()
    // Measuring makes the page lay itself out: once a frame, whatever changes in it.
    let due = 0
    const observer = new MutationObserver(() => {
      due ||= requestAnimationFrame(() => {
        due = 0
        measure()
      })
    })
    observer.observe(parent, { childList: true, subtree: true })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(due)
    }
  }, [shown])
  return queued
}

function icon({ createElement: h }: React): ReactNode {
  return h(
    'svg',
    { width: 16, height: 16, viewBox: '0 0 16 16', fill: 'none', stroke: 'currentColor', strokeWidth: 1.3, strokeLinejoin: 'round' },
    h('path', { d: 'M7 2.2 8.3 6 12 7.3 8.3 8.6 7 12.4 5.7 8.6 2 7.3 5.7 6Z' }),
    h('path', { d: 'M12.4 10.4 13 12l1.6.6L13 13.2l-.6 1.6-.6-1.6-1.6-.6 1.6-.6Z' }),
  )
}
