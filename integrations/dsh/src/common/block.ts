/**
 * The printed state block, read back: what `/suggest state` prints to people is what a page reads where nothing can be
 * pushed to it. It becomes the same frame, by the same checks.
 */
import { readState, type Coded, type Frame, type Link } from './state.ts'

interface Entry {
  depth: number
  key: string
  value: string | undefined
  text: string | undefined
}

/** Where values start in the block, unless the key is longer. */
const LINE = /^( *)(\S+(?: \S+)*?)(?: {2,}(.*))?$/

const KINDS: Record<string, string> = {
  prompt: 'prompt',
  'edits the goal · run it yourself': 'goal_edit',
  'runs a command · run it yourself': 'command',
  'destructive · run it yourself': 'destructive',
}

/** The link in words of the block: an engine that is not there has no state of its own to print. */
export function printLink(link: Link): string {
  const line = (key: string, value: string): string => `${key.padEnd(14)}${value}`
  switch (link.kind) {
    case 'starting':
      return line('status', 'starting')
    case 'linked':
      return line('status', 'linked')
    case 'unlinked':
    case 'off':
      return [line('status', link.kind), line('reason', `${link.code}: ${link.message}`)].join('\n')
  }
}

/** The frame that a block shows, or nothing when it is none. */
export function parseBlock(session: string, block: string): Frame | undefined {
  const entries = split(block)
  if (entries === undefined) return undefined
  const find = (key: string, depth = 0): Entry | undefined => entries.find(entry => entry.key === key && entry.depth === depth)
  const under = (parent: Entry | undefined): Entry[] => {
    if (parent === undefined) return []
    const from = entries.indexOf(parent) + 1
    const end = entries.findIndex((entry, at) => at >= from && entry.depth <= parent.depth)
    return entries.slice(from, end < 0 ? undefined : end)
  }
  const frame = (link: Link, state: Frame['state']): Frame => ({ session, seq: 0, link, state, disarmedByRestart: false })
  const status = find('status')?.value
  const reason = codedOf(entries, find('reason'))
  if (status === 'starting') return frame({ kind: 'starting' }, null)
  if (status === 'unlinked' && reason !== null) return frame({ kind: 'unlinked', ...reason }, null)
  if (status === 'off' && find('autorun') === undefined && reason !== null) return frame({ kind: 'off', ...reason }, null)

  const model = find('model')
  const offer = find('offer')
  const autorun = find('autorun')
  const goal = find('goal')
  const of = (parent: Entry | undefined, key: string): Entry | undefined => under(parent).find(entry => entry.key === key)
  const text = (entry: Entry | undefined): string | undefined => entry?.text ?? entry?.value
  const answers = /^turn (\d+)( \(older\))?$/.exec(of(offer, 'answers')?.value ?? '')
  const rounds = /^(\d+) of (\d+)$/.exec(of(autorun, 'rounds')?.value ?? '')
  const none = (entry: Entry | undefined): boolean => entry === undefined || entry.value === 'none'
  const advisor = find('advisor')
  const reviewer = of(advisor, 'model')
  const state = readState({
    status,
    reason,
    model: none(model) ? null : { id: text(model), source: of(model, 'from')?.value },
    offer: none(offer)
      ? null
      : {
          id: offer?.value,
          text: of(offer, 'text')?.text,
          turn: answers === null ? undefined : Number(answers[1]),
          current: answers !== null && answers[2] === undefined,
          kind: KINDS[of(offer, 'kind')?.value ?? ''],
          model: text(of(offer, 'writer')),
        },
    autorun: {
      armed: autorun?.value === 'armed' ? true : autorun?.value === 'not armed' ? false : undefined,
      hold: codedOf(entries, of(autorun, 'hold')),
      rounds: rounds === null ? undefined : Number(rounds[1]),
      max_rounds: rounds === null ? undefined : Number(rounds[2]),
      disarmed_because: codedOf(entries, of(autorun, 'disarmed')),
    },
    goal: none(goal)
      ? null
      : {
          id: text(goal),
          revision: Number(of(goal, 'revision')?.value),
          phase: of(goal, 'phase')?.value,
          armed: of(goal, 'driver')?.value === 'armed',
          objective: of(goal, 'objective')?.text,
          paused_by_autorun: of(goal, 'paused by')?.value === 'autorun',
        },
    advisor:
      advisor === undefined
        ? null
        : {
            status: advisor.value,
            reason: codedOf(entries, of(advisor, 'reason')),
            model: reviewer === undefined ? null : { id: text(reviewer), source: of(reviewer, 'from')?.value },
            trying: text(of(advisor, 'trying')),
            pin_refused: text(of(advisor, 'no pin')),
            blocker: text(of(advisor, 'blocker')),
            prediction: text(of(advisor, 'prediction')),
          },
  })
  return state === undefined ? undefined : frame({ kind: 'linked' }, state)
}

function split(block: string): Entry[] | undefined {
  const entries: Entry[] = []
  for (const raw of block.split('\n')) {
    const line = raw.trimEnd()
    if (line.trim() === '') continue
    const more = /^ {2,}\|(?: (.*))?$/.exec(line)
    const last = entries.at(-1)
    if (more !== null && last !== undefined) {
      const part = unescape(more[1] ?? '')
      if (part === undefined) return undefined
      last.text = last.text === undefined ? part : `${last.text}\n${part}`
      continue
    }
    const parts = LINE.exec(line)
    if (parts === null || parts[2] === undefined) return undefined
    const [, indent = '', key, value] = parts
    const entry: Entry = { depth: indent.length / 2, key, value: undefined, text: undefined }
    if (value !== undefined && (value === '|' || value.startsWith('| '))) entry.text = unescape(value.slice(2))
    else entry.value = value
    entries.push(entry)
  }
  return entries
}

/** `code: message`; the message, or both, may stand in text lines instead. */
function codedOf(entries: readonly Entry[], entry: Entry | undefined): Coded | null {
  if (entry === undefined) return null
  if (entry.value === undefined) {
    const says = entries[entries.indexOf(entry) + 1]
    return { code: entry.text ?? '', message: says?.key === 'says' ? (says.text ?? '') : '' }
  }
  if (entry.text !== undefined) return { code: entry.value, message: entry.text }
  const at = entry.value.indexOf(': ')
  if (at < 0) return { code: entry.value, message: '' }
  return { code: entry.value.slice(0, at), message: unescape(entry.value.slice(at + 2)) ?? '' }
}

function unescape(line: string): string | undefined {
  let bad = false
  const out = line.replace(/\\(?:u\{([0-9a-f]+)\}|([\s\S]?))/g, (_, hex: string | undefined, plain: string | undefined) => {
    if (hex !== undefined) {
      const point = Number.parseInt(hex, 16)
      if (point <= 0x10ffff) return String.fromCodePoint(point)
    } else if (plain === '\\') return '\\'
    else if (plain === 'n') return '\n'
    else if (plain === 'r') return '\r'
    else if (plain === 't') return '\t'
    bad = true
    return ''
  })
  return bad ? undefined : out
}
