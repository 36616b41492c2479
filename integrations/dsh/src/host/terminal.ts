/** What a terminal front end of dsh takes from plugins: completions of the commands, and a section of its settings. */
import { attempt } from './guard.ts'
import type { Context } from './types.ts'

interface Word {
  name: string
  description: string
  zh: string
  then?: Word[]
}

const ADVISOR: Word[] = [
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

const SUGGEST: Word[] = [
  { name: 'state', description: 'show the whole state', zh: '显示完整状态' },
  { name: 'status', description: 'show the state in one line', zh: '用一行显示状态' },
  { name: 'model', description: 'show or set the model: provider/model, or clear', zh: '显示或设置模型：提供方/模型，或 clear', then: [{ name: 'clear', description: 'clear the model', zh: '清除模型' }] },
  { name: 'on', description: 'resume suggestions in this session', zh: '在此会话中恢复建议' },
  { name: 'off', description: 'suspend suggestions in this session', zh: '在此会话中暂停建议' },
  { name: 'run', description: 'run the suggestion on screen as your own turn', zh: '作为你自己的一轮运行当前建议' },
  { name: 'retry', description: 'ask the model again', zh: '再次询问模型' },
  {
    name: 'autorun',
    description: 'run steps by themselves, within a budget',
    zh: '在预算内自动运行',
    then: [
      { name: 'on', description: 'start', zh: '开始' },
      { name: 'off', description: 'stop', zh: '停止' },
      { name: 'reset', description: 'refresh the round budget', zh: '重置轮次预算' },
    ],
  },
  { name: 'report', description: 'show what the last autorun loop did', zh: '显示上次自动运行的报告' },
  { name: 'summary', description: "show the session's summary", zh: '显示会话摘要' },
  {
    name: 'cards',
    description: 'list what this session could do next',
    zh: '列出此会话可做的后续工作',
    then: [
      { name: 'accept', description: 'put the prompt of a card into the input: ID', zh: '把卡片的提示放入输入框：ID' },
      { name: 'dismiss', description: 'drop a card for good: ID, or all', zh: '永久丢弃卡片：ID，或 all', then: [{ name: 'all', description: 'drop every open card', zh: '丢弃所有卡片' }] },
    ],
  },
  { name: 'help', description: 'list the verbs', zh: '列出命令' },
]

const ROOTS: Record<string, { words: Word[]; en: string; zh: string }> = {
  advisor: { words: ADVISOR, en: 'The advisor: a second model that reviews each turn', zh: '顾问：审阅每一轮的第二个模型' },
  suggest: { words: SUGGEST, en: 'The next step: show it, run it, choose the model that writes it', zh: '下一步：显示、运行、选择编写它的模型' },
}

/** The words behind `/advisor …` or `/suggest …` so far. */
export function completions(path: readonly string[]): { name: string; description: string; descriptions: { en: string; zh: string } }[] {
  let words: Word[] | undefined = ROOTS[path[0] ?? '']?.words
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
    for (const [root, { en, zh }] of Object.entries(ROOTS)) {
      const provider = { root, descriptions: { en, zh }, children: completions }
      attempt(() => ctx.effect(() => trees.register(provider) as () => void, `suggest: completions of /${root}`), undefined)
    }
  })
  inject(['tuiSettingsSections'], ctx => {
    const sections = ctx.get('tuiSettingsSections') as Sections
    const section = { ns: row(), title: 'Advisor', descriptions: { zh: '顾问' }, fields: SECTION_FIELDS }
    attempt(() => ctx.effect(() => sections.register(section) as () => void, 'suggest: terminal settings'), undefined)
  })
}
