/** The guess of the next prompt, under the input: a click, or → in the empty input, puts it there (rule V8). */
import type { FunctionComponent } from 'react'
import type { BarProps } from './bar.ts'
import { copy, type Key } from './copy.ts'
import { boxNear, fillInput, isEmpty } from './fill.ts'
import type { React } from './host.ts'
import { tip } from './look.ts'

/** A host that took the text shows it by then. */
const READ_BACK_MS = 1_000

export type TipProps = Pick<BarProps, 'useSuggest' | 'useSession' | 'useInput' | 'inputActions' | 't'>

export function makeTip({ createElement: h, useEffect, useRef, useState }: React): FunctionComponent<TipProps> {
  return function Tip(props) {
    const view = props.useSuggest(view => view)
    const running = props.useSession(session => session.running)
    const subagent = props.useSession(session => session.subagent)
    const draft = props.useInput(input => input.draft)
    const [tried, setTried] = useState<'no' | 'checking' | 'failed'>('no')
    const here = useRef<HTMLDivElement>(null)
    const root = subagent === null || subagent === undefined
    const found = root && draft === '' ? tip(view.frame, view.connected, running) : undefined
    const text = found?.text

    const accept = (): void => {
      if (text === undefined) return
      setTried(fillInput(props.inputActions, text) ? 'checking' : 'failed')
      const box = boxNear(here.current)
      if (box instanceof HTMLElement) box.focus()
    }
    useEffect(() => setTried('no'), [text])
    // Where the host took it the input is not empty any more, and there is no guess to show.
    useEffect(() => {
      if (tried !== 'checking') return
      const timer = setTimeout(() => setTried('failed'), READ_BACK_MS)
      return () => clearTimeout(timer)
    }, [tried])
    useEffect(() => {
      if (text === undefined) return
      const onKey = (event: KeyboardEvent): void => {
        if (event.key !== 'ArrowRight' || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing || event.defaultPrevented) return
        const box = boxNear(here.current)
        if (box === undefined || !(event.target instanceof Node) || !box.contains(event.target) || !isEmpty(box)) return
        event.preventDefault()
        event.stopPropagation()
        accept()
      }
      document.addEventListener('keydown', onKey, true)
      return () => document.removeEventListener('keydown', onKey, true)
    }, [text])

    const t = (key: Key): string => {
      const said = props.t(key)
      return said === key || said === '' ? copy.en[key] : said
    }
    const shown = found?.shown === true
    const failed = text !== undefined && tried === 'failed'
    return h(
      'div',
      { ref: here, className: 'suggest-tip', 'data-suggest-tip': shown ? 'shown' : 'none', hidden: !shown && !failed },
      shown
        ? h(
            'button',
            { type: 'button', className: 'suggest-tip-button', title: t('tipTitle'), onClick: accept },
            h('span', { className: 'suggest-tip-label' }, t('tipLabel')),
            h('span', { className: 'suggest-tip-text', 'data-suggest-tip-text': '' }, text),
            h('kbd', { className: 'suggest-tip-key', 'aria-hidden': true }, t('tipKey')),
          )
        : null,
      failed ? h('span', { className: 'suggest-tip-failed', role: 'alert' }, t('cannotFill')) : null,
    )
  }
}
