// The words of the page, in the languages that we have.

const english = {
  title: 'Board', skip: 'Skip to the cards', dismissAll: 'Dismiss all', keep: 'Keep them', notices: 'Notices',
  loginTitle: 'Open the board', loginText: 'Open the newest link that `suggest serve` printed, or enter the token from its file.',
  token: 'Token', open: 'Open', loginWrong: 'This is not the token.', usedLink: 'This link was used already. Take the newest one that `suggest serve` printed, or enter the token.',
  loading: 'Loading the cards…', emptyTitle: 'Nothing to pick yet', emptyText: 'When a session finishes a turn and waits, what it could do next appears here.', emptyNone: 'No session is seen yet. Start a coding agent whose logs are watched here, or tell of one over the API.',
  intentTitle: 'Ready to send', intentWhere: 'Nothing was started. Send this prompt to {name}.', copy: 'Copy prompt', copied: 'Copied', copyFailed: 'Select the text and copy it by hand', close: 'Close',
  others: 'Other sessions', replyTo: 'Reply to', reply: 'Reply', prepare: 'Prepare', categories: {}, noSession: 'No session', prompt: 'Prompt',
  connecting: 'Connecting', live: 'Live', lost: 'Connection lost', locked: 'Locked', lostBanner: 'The connection is lost. What you see is from {time}; trying again.',
  accept: 'Accept', assign: 'Assign', assignTo: 'Assign to', dismiss: 'Dismiss', chooseSession: 'Choose a session', suggestNow: 'Suggest now',
  cards: { one: '{n} card', other: '{n} cards' }, stale: 'Stale', fresh: 'Fresh', staleHint: 'The session moved on, so this can only be dismissed.', model: 'Model', local: 'Local',
  originModel: 'Written by a model', originLocal: 'Made from the facts of the session', high: 'High', medium: 'Medium', low: 'Low', priority: '{word} priority', keys: 'Keys', keyAccept: 'Accept the card with that number on it', keyDismiss: 'Dismiss all cards for good', keyReply: 'Go to the reply; Escape leaves it', keySend: 'Prepare the reply, while in it', keyHelp: 'Show these keys', keysRest: 'Keys do nothing while you type, and for a moment after the cards changed.',
  idle: 'Idle', busy: 'Busy', closed: 'Closed', unknown: 'Not followed', summary: 'Summary', followUps: 'Left to do', accepted: 'Accepted: {title}', assigned: 'Assigned: {title}',
  dismissed: 'Dismissed: {title}', dismissedAll: { one: '{n} card dismissed', other: '{n} cards dismissed' }, confirmAll: { one: 'Dismiss {n} card for good?', other: 'Dismiss all {n} cards for good?' },
  changed: 'The cards have just changed. Look again, then press the key.', noCard: 'There is no card for this key.', failed: 'That did not work: {why}', unreachable: 'the server cannot be reached', newCards: { one: '{n} new card', other: '{n} new cards' }, noneIdle: 'No session is idle', more: 'and {n} more', asking: 'A model is asked; its cards follow.', nothingFound: '{name} shows nothing specific to do next.', copyText: '{n} characters',
  refusals: {
    'already-accepted': 'it was accepted already', 'already-assigned': 'it was assigned already', dismissed: 'it was dismissed', stale: 'it is stale, because its session moved on', retired: 'newer cards took its place',
    'unknown-card': 'the card is gone', 'unknown-session': 'the session is not known', 'not-idle': 'the session is not idle', 'not-saved': 'it could not be saved', 'no-token': 'the token is missing',
  },
}

const chinese = {
  title: '看板', skip: '跳到卡片', dismissAll: '全部忽略', keep: '保留', notices: '通知',
  loginTitle: '打开看板', loginText: '请打开 `suggest serve` 最新输出的链接，或输入其文件中的令牌。',
  token: '令牌', open: '打开', loginWrong: '令牌不正确。', usedLink: '此链接已使用过。请用 `suggest serve` 最新输出的链接，或输入令牌。',
  loading: '正在加载卡片…', emptyTitle: '暂时没有可选的卡片', emptyText: '会话完成一轮并等待时，下一步建议会出现在这里。', emptyNone: '还没有看到任何会话。请启动一个日志受关注的编程助手，或通过 API 告知会话。',
  intentTitle: '可以发送', intentWhere: '没有启动任何任务。请把这条提示发送给 {name}。', copy: '复制提示', copied: '已复制', copyFailed: '请选中文字手动复制', close: '关闭',
  others: '其他会话', replyTo: '回复给', reply: '回复', prepare: '准备', categories: { fix: '修复', test: '测试', plan: '计划', 'follow-up': '后续', question: '待答', goal: '目标', docs: '文档', refactor: '重构' }, noSession: '没有会话', prompt: '提示',
  connecting: '正在连接', live: '实时', lost: '连接已断开', locked: '已锁定', lostBanner: '连接已断开。所见内容截至 {time}；正在重试。',
  accept: '接受', assign: '分配', assignTo: '分配给', dismiss: '忽略', chooseSession: '选择会话', suggestNow: '现在建议',
  cards: { other: '{n} 张卡片' }, stale: '已过时', fresh: '有效', staleHint: '会话已有进展，此卡片只能忽略。', model: '模型', local: '本地',
  originModel: '由模型撰写', originLocal: '根据会话事实生成', high: '高', medium: '中', low: '低', priority: '优先级：{word}', keys: '按键', keyAccept: '接受标有该数字的卡片', keyDismiss: '永久忽略全部卡片', keyReply: '转到回复；按 Escape 离开', keySend: '在回复框中准备回复', keyHelp: '显示这些按键', keysRest: '输入文字时，以及卡片刚变化的片刻，按键不起作用。',
  idle: '空闲', busy: '忙碌', closed: '已关闭', unknown: '未跟踪', summary: '摘要', followUps: '尚待完成', accepted: '已接受：{title}', assigned: '已分配：{title}',
  dismissed: '已忽略：{title}', dismissedAll: { other: '已忽略 {n} 张卡片' }, confirmAll: { other: '永久忽略全部 {n} 张卡片？' },
  changed: '卡片刚刚变化。请看清后再按键。', noCard: '这个按键没有对应的卡片。', failed: '操作未成功：{why}', unreachable: '无法连接服务器', newCards: { other: '{n} 张新卡片' }, noneIdle: '没有空闲的会话', more: '另有 {n} 个', asking: '正在询问模型，卡片随后出现。', nothingFound: '{name} 目前没有具体的下一步。', copyText: '{n} 个字符',
  refusals: {
    'already-accepted': '已被接受', 'already-assigned': '已被分配', dismissed: '已被忽略', stale: '会话已有进展，卡片已过时', retired: '已被新卡片取代',
    'unknown-card': '卡片已不存在', 'unknown-session': '未知的会话', 'not-idle': '该会话不空闲', 'not-saved': '无法保存', 'no-token': '缺少令牌', refused: '该会话暂无建议，或刚刚询问过',
  },
}

const wanted = (navigator.languages ?? [navigator.language]).map(tag => String(tag).toLowerCase()).find(tag => /^(en|zh)\b/.test(tag)) ?? 'en'
const isChinese = wanted.startsWith('zh')
const words = isChinese ? chinese : english
export const language = isChinese ? 'zh-CN' : 'en'

const plurals = new Intl.PluralRules(language)
const since = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })
const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const full = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })

/** A word, with `{name}` filled in; of forms by number the one for `n`. */
export function say(name, values = {}) {
  const word = words[name] ?? english[name] ?? name
  const text = typeof word === 'string' ? word : word[plurals.select(values.n ?? 0)] ?? word.other
  return text.replace(/\{(\w+)\}/g, (whole, key) => String(values[key] ?? whole))
}

/** Why the server refused, in the page's language where we have it. */
export const refusal = (code, message) => words.refusals[code] ?? message

/** A card's category, in the page's language where we have it: models write what they like. */
export const category = name => Object.hasOwn(words.categories, name) ? words.categories[name] : name

export const time = ms => clock.format(ms)
export const date = ms => full.format(ms)

export function age(ms) {
  const seconds = Math.max(0, Math.round((Date.now() - ms) / 1000))
  if (seconds < 60) return since.format(-seconds, 'second')
  if (seconds < 3600) return since.format(-Math.floor(seconds / 60), 'minute')
  if (seconds < 86_400) return since.format(-Math.floor(seconds / 3600), 'hour')
  return since.format(-Math.floor(seconds / 86_400), 'day')
}

/** Fills in the words that stand in the document. */
export function translate() {
  document.documentElement.lang = language
  for (const element of document.querySelectorAll('[data-word]')) element.textContent = say(element.dataset.word)
  for (const element of document.querySelectorAll('[data-label]')) element.setAttribute('aria-label', say(element.dataset.label))
}
