/** What a terminal front end of dsh takes from plugins: completions of the commands, and a section of its settings. */
import { attempt } from './guard.ts'
import type { Context } from './types.ts'

interface Word {
  name: string
  description: string
  zh: string
  then?: Word[]
}

const WORDS: Word[] = [
  { name: 'on', description: 'enable the advisor for this session', zh: '在此会话中启用顾问' },
  { name: 'off', description: 'disable the advisor for this session', zh: '在此会话中停用顾问' },
  { name: 'status', description: 'show state, model, pending messages and drop counters', zh: '显示状态、模型、待审消息和丢弃计数' },
  { name: 'config', description: 'show the global defaults', zh: '显示全局默认配置' },
  {
    name: 'model',
    description: 'show the effective reviewer model and its source',
    zh: '显示当前审阅模型及其来源',
    then: [
      { name: 'set', description: 'pin a reviewer model for this session only: PROVIDER MODEL', zh: '仅在此会话中固定审阅模型：提供方 模型' },
      { name: 'reset', description: 'drop the session pin', zh: '取消此会话的固定模型' },
    ],
  },
]

/** The words behind `/advisor …` so far. */
export function completions(path: readonly string[]): { name: string; description: string; descriptions: { en: string; zh: string } }[] {
  let words: Word[] | undefined = WORDS
  for (const part of path.slice(1)) words = words?.find(word => word.name === part)?.then
  return (words ?? []).map(({ name, description, zh }) => ({ name, description, descriptions: { en: description, zh } }))
}

interface Trees {
  register(provider: { root: string; descriptions: { en: string; zh: string }; children: typeof completions }): unknown
}

interface Sections {
  register(section: unknown): unknown
}

const field = (key: string, kind: string, label: string, zh: string, hint: string, hintZh: string): unknown => ({
  path: ['advisor', key], kind, label, descriptions: { zh }, hint, hintDescriptions: { zh: hintZh },
})

/** The section's fields. The reviewer's prompt has many lines and the terminal's control one; predictions need a page. */
export const SECTION_FIELDS: readonly unknown[] = [
  field('provider', 'text', 'Provider', '提供方', 'required, with the model', '必填，与模型一起'),
  field('model', 'text', 'Model', '模型', 'required, with the provider', '必填，与提供方一起'),
  field('immuneTurns', 'number', 'Quiet turns', '静默轮数', 'turns after a note in which concerns arrive softly', '一条意见之后，关注类意见只作旁注的轮数'),
  field('maxDeltaMessages', 'number', 'Messages per review', '每次审阅的消息数', '0: all', '0：全部'),
  field('proseFallback', 'boolean', 'Deliver prose', '接受散文', 'deliver a reply without a frame as a nit', '没有结构的回复作为小意见送出'),
  field('defaultEnabled', 'boolean', 'On in new sessions', '新会话默认启用', 'off: /advisor on enables it', '关闭时用 /advisor on 启用'),
  field('reasoningEffort', 'text', 'Reasoning effort', '思考强度', 'empty: the smallest that the model declares', '留空：模型声明的最小值'),
]

/** Registers both where the host has the place. `row` names the row, which such a host serves as the settings' namespace. */
export function offerToTerminals(inject: (services: string[], run: (ctx: Context) => void) => void, row: () => string): void {
  inject(['tuiCommandTrees'], ctx => {
    const trees = ctx.get('tuiCommandTrees') as Trees
    const provider = { root: 'advisor', descriptions: { en: 'The advisor: a second model that reviews each turn', zh: '顾问：审阅每一轮的第二个模型' }, children: completions }
    attempt(() => ctx.effect(() => trees.register(provider) as () => void, 'suggest: completions'), undefined)
  })
  inject(['tuiSettingsSections'], ctx => {
    const sections = ctx.get('tuiSettingsSections') as Sections
    const section = { ns: row(), title: 'Advisor', descriptions: { zh: '顾问' }, fields: SECTION_FIELDS }
    attempt(() => ctx.effect(() => sections.register(section) as () => void, 'suggest: terminal settings'), undefined)
  })
}
