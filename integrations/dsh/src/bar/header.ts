/** The advisor's button in a session's header: who reviews here, and pinning another model for as long as the session lives. */
import type { FocusEvent, FunctionComponent, ReactNode } from 'react'
import type { Provider, SessionAdvisor } from '../common/advisor.ts'
import type { BarProps } from './bar.ts'
import type { SettingsCalls } from './calls.ts'
import { pairSelects, type Pair } from './choice.ts'
import { copy, sentence, type Key } from './copy.ts'
import type { React } from './host.ts'

export interface HeaderProps extends Pick<BarProps, 'sessionId' | 'useSuggest' | 'useSession' | 't'> {
  calls: SettingsCalls
}

const STATUS: Record<string, Key> = {
  disabled: 'advisorDisabled',
  off: 'advisorOff',
  idle: 'advisorIdle',
  reviewing: 'advisorReviewing',
  paused: 'advisorPaused',
  halted: 'advisorHalted',
}

export function makeHeader(react: React): FunctionComponent<HeaderProps> {
  const { createElement: h, useEffect, useRef, useState } = react

  return function Header(props) {
    const view = props.useSuggest(view => view)
    const subagent = props.useSession(session => session.subagent)
    const [place, setPlace] = useState<{ top: number; left: number } | undefined>(undefined)
    const [told, setTold] = useState<SessionAdvisor | null | undefined>(undefined)
    const [providers, setProviders] = useState<readonly Provider[]>([])
    const [pair, setPair] = useState<Pair>({ provider: '', model: '' })
    const [busy, setBusy] = useState(false)
    const [said, setSaid] = useState<{ text: string; error: boolean } | undefined>(undefined)
    const whole = useRef<HTMLDivElement>(null)
    const button = useRef<HTMLButtonElement>(null)
    const panelNow = useRef<HTMLDivElement>(null)
    const entered = useRef(false)
    const touched = useRef(false)
    const session = props.sessionId ?? ''
    const open = place !== undefined

    const t = (key: Key): string => {
      const text = props.t(key)
      return text === key || text === '' ? copy.en[key] : text
    }

    const chinese = t('advisor') === copy.zh.advisor

    // What is shown is asked for when it is opened, when it changes, and when somebody comes back to the page.
    useEffect(() => {
      if (!open) return
      let gone = false
      const ask = (): void => {
        props.calls.getSession(session).then(
          told => {
            if (gone) return
            setTold(told)
            if (!touched.current && told?.pair) setPair(told.pair)
          },
          () => void (gone || setTold(null)),
        )
      }
      ask()
      window.addEventListener('focus', ask)
      return () => {
        gone = true
        window.removeEventListener('focus', ask)
      }
    }, [open, session, view.frame?.seq, view.connected])
    useEffect(() => {
      if (!open) return
      let gone = false
      props.calls.get().then(settings => void (gone || setProviders(settings.providers)), () => {})
      const outside = (event: MouseEvent): void => {
        if (event.target instanceof Node && whole.current?.contains(event.target) === false) close()
      }
      // The button that was pressed may be disabled meanwhile, and then nobody has the focus.
      const escape = (event: KeyboardEvent): void => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
        button.current?.focus()
      }
      document.addEventListener('mousedown', outside)
      document.addEventListener('keydown', escape, true)
      window.addEventListener('resize', close)
      return () => {
        gone = true
        document.removeEventListener('mousedown', outside)
        document.removeEventListener('keydown', escape, true)
        window.removeEventListener('resize', close)
      }
    }, [open])
    useEffect(() => close(), [session])
    // Whoever works with the keyboard goes on inside; a button that was disabled meanwhile has lost them.
    useEffect(() => {
      if (open && !busy && (!entered.current || document.activeElement === document.body)) panelNow.current?.focus()
      entered.current = open
    }, [open, busy])

    const advisor = view.frame?.state?.advisor
    if ((subagent !== null && subagent !== undefined) || advisor === null || advisor === undefined || view.frame?.link.kind !== 'linked') return null

    function close(): void {
      setPlace(undefined)
      setSaid(undefined)
      touched.current = false
    }
    // Tab led out of it: it would cover what is worked on now.
    const left = (event: FocusEvent): void => {
      if (open && event.relatedTarget instanceof Node && whole.current?.contains(event.relatedTarget) === false) close()
    }
    const toggle = (): void => {
      if (open) return close()
      const box = button.current?.getBoundingClientRect()
      if (box === undefined) return
      // Under the button, and inside the page however narrow it is.
      const width = Math.min(320, window.innerWidth - 24)
      setPlace({ top: box.bottom + 6, left: Math.max(12, Math.min(box.left, window.innerWidth - width - 12)) })
    }
    const pinIt = (wanted: Pair | null): void => {
      setBusy(true)
      setSaid({ text: wanted === null ? '' : t('trying'), error: false })
      props.calls.setSessionModel(session, wanted).then(
        answer => {
          setBusy(false)
          // What was done shows above.
          setSaid(answer.ok ? undefined : { text: chinese ? `${t('notDone')}：${answer.text}` : answer.text, error: true })
          if (answer.session !== null) setTold(answer.session)
          // What was refused stays chosen, for another try.
          touched.current = !answer.ok
          if (answer.ok && answer.session?.pair) setPair(answer.session.pair)
        },
        () => {
          setBusy(false)
          setSaid({ text: t('unlinkedHint'), error: true })
        },
      )
    }

    const source = told?.source === 'session override' ? t('fromPin') : told?.source === 'global default' ? t('fromDefault') : undefined
    const line = (label: string, ...text: ReactNode[]): ReactNode => h('p', { key: label, className: 'suggest-pop-line' }, h('span', { className: 'suggest-field-label' }, label), ...text)
    const status = t(STATUS[advisor.status] ?? 'advisorIdle')
    const panel = !open
      ? null
      : h(
          'div',
          { ref: panelNow, tabIndex: -1, className: 'suggest-pop', role: 'dialog', 'aria-label': t('advisorOpen'), 'data-suggest-advisor-panel': '', style: { top: place.top, left: place.left } },
          h('p', { className: 'suggest-pop-title' }, t('advisor'), h('span', { className: 'suggest-pop-status', 'data-status': advisor.status }, status)),
          advisor.reason === null ? null : h('p', { className: 'suggest-pop-note', 'data-suggest-reason': '' }, sentence(chinese, advisor.reason)),
          advisor.status === 'paused' || advisor.status === 'halted' ? h('p', { className: 'suggest-pop-note' }, t('advisorResume')) : null,
          advisor.blocker === null ? null : h('p', { className: 'suggest-pop-note', 'data-tone': 'error' }, `${t('blockerOpen')}: ${advisor.blocker}`),
          line(t('reviewer'), h('span', { key: 'pair', 'data-suggest-pair': '' }, told?.pair ? `${told.pair.provider}/${told.pair.model}` : t('noReviewer')), source === undefined ? null : h('span', { key: 'source', className: 'suggest-chip', 'data-suggest-source': '' }, source)),
          h('div', { className: 'suggest-pop-fields' }, ...pairSelects(react, t, providers, pair, next => {
            touched.current = true
            setPair(next)
          }, busy, 'suggest-pin')),
          h(
            'div',
            { className: 'suggest-pop-actions' },
            h('button', { type: 'button', className: 'suggest-button', 'data-main': '', 'data-suggest-action': 'pin', disabled: busy || pair.provider === '' || pair.model === '', onClick: () => pinIt(pair) }, t('pin')),
            h('button', { type: 'button', className: 'suggest-button', 'data-suggest-action': 'unpin', disabled: busy || told?.source !== 'session override', onClick: () => pinIt(null) }, t('unpin')),
          ),
          h('p', { className: 'suggest-pop-note', role: said?.error === true ? 'alert' : 'status', 'data-tone': said?.error === true ? 'error' : undefined, 'data-suggest-said': '' }, said === undefined || said.text === '' ? t('lifetime') : said.text),
        )
    return h(
      'div',
      { ref: whole, className: 'suggest-header', onBlur: left },
      h(
        'button',
        { ref: button, type: 'button', className: 'suggest-header-button', 'data-suggest-advisor': advisor.status, 'data-blocker': advisor.blocker === null ? undefined : '', title: `${t('advisorOpen')}: ${status}`, 'aria-expanded': open, 'aria-haspopup': 'dialog', onClick: toggle },
        h('span', { className: 'suggest-dot', 'aria-hidden': true }),
        t('advisor'),
      ),
      panel,
    )
  }
}
