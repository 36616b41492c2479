// A scripted chat-completions server on loopback, in the process of the test. It plays the worker, the director and the advisor.
//
// The worker does what a mark in the newest prompt says: [[tool]], [[slow]], [[error]], [[cut]], [[todo]], a goal round
// (ends after `goalRounds`). The director answers with `director`, a function of the request that may also fail or hang;
// the advisor's model likewise with `review`, `predict` and `trial`, by what it is asked.
import { createServer } from 'node:http'
import { performance } from 'node:perf_hooks'

export const DIRECTOR = 'mock-director/director-1'
export const REVIEWER = { provider: 'mock-reviewer', model: 'reviewer-1' }

/** A note as a reviewer replies it. */
export const noted = (severity, note, more = {}) => ({ text: JSON.stringify({ severity, note, ...more }) })

const textOf = content => (typeof content === 'string' ? content : Array.isArray(content) ? content.map(part => part.text ?? '').join('') : '')

export async function startModelServer() {
  const requests = []
  const open = new Set()
  const server = {
    requests,
    /** Milliseconds before the worker's answer, and before the director's. */
    workerDelay: 0,
    /** The title of a session whose first prompt holds no {{name}}. */
    title: 'The report command',
    directorDelay: 0,
    /** What the worker answers to any prompt, if it is set. */
    says: undefined,
    goalRounds: 2,
    goalRoundDelay: 60,
    director: () => ({ text: `NEXT: Write test number ${server.directorCalls().length} for the parser in src/parse.rs` }),
    review: () => ({ text: '{"note": null}' }),
    predict: () => ({ text: 'NONE' }),
    trial: () => ({ text: 'ready' }),
    /** Called before the worker answers; it may wait. */
    beforeWorker: async () => {},
    directorCalls: () => requests.filter(request => request.director),
    reviews: () => requests.filter(request => request.advisor === 'review'),
    predictions: () => requests.filter(request => request.advisor === 'predict'),
    workerCalls: () => requests.filter(request => !request.director && !request.title && request.advisor === undefined),
  }
  const http = createServer((request, response) => {
    let raw = ''
    request.setEncoding('utf8').on('data', chunk => { raw += chunk })
    request.on('error', () => {})
    request.on('end', () => {
      answer(server, request, response, raw).catch(error => {
        if (!response.headersSent) response.writeHead(500)
        response.end(JSON.stringify({ error: { message: String(error) } }))
      })
    })
  })
  http.on('connection', socket => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  await new Promise((resolve, reject) => http.listen(0, '127.0.0.1', resolve).on('error', reject))
  server.url = `http://127.0.0.1:${http.address().port}`
  server.close = () => {
    for (const socket of open) socket.destroy()
    return new Promise(resolve => http.close(resolve))
  }
  return server
}

async function answer(server, request, response, raw) {
  const at = performance.timeOrigin + performance.now()
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'director-1' }, { id: 'director-2' }, { id: 'reviewer-1' }, { id: 'reviewer-2' }] }))
    return
  }
  const body = JSON.parse(raw)
  const messages = body.messages ?? []
  const seen = {
    at, model: body.model, messages: messages.map(message => ({ role: message.role, text: textOf(message.content) })),
    director: body.model.startsWith('director'), advisor: advisorTask(body), title: !/^(director|reviewer)/.test(body.model) && !(body.tools?.length > 0),
    maxTokens: body.max_tokens ?? body.max_completion_tokens, effort: body.reasoning_effort, aborted: false, answeredAt: undefined,
  }
  server.requests.push(seen)
  response.setMaxListeners(0)
  response.on('close', () => { if (!response.writableEnded) seen.aborted = true })
  const script = seen.director ? await server.director(seen) : seen.advisor !== undefined ? await server[seen.advisor](seen) : await worker(server, seen)
  const delay = script.delay ?? (seen.director ? server.directorDelay : server.workerDelay)
  if (delay > 0) await new Promise(resolve => setTimeout(resolve, delay))
  if (script.hang) return
  if (script.status !== undefined) {
    response.writeHead(script.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: script.message ?? 'scripted failure', type: 'scripted' } }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const send = part => response.write(`data: ${JSON.stringify(part)}\n\n`)
  const chunk = (delta, finish = null) => ({ id: 'scripted', object: 'chat.completion.chunk', created: 1, model: body.model, choices: [{ index: 0, delta, finish_reason: finish }] })
  send(chunk({ role: 'assistant', content: '' }))
  if (script.flood) {
    const part = 'flood '.repeat(20_000)
    for (let n = 0; n < 400 && !seen.aborted; n++) if (!send(chunk({ content: part }))) await new Promise(resolve => { response.once('drain', resolve); if (response.destroyed) resolve(); else response.once('close', resolve) })
  } else if (script.tool !== undefined) {
    send(chunk({ tool_calls: [{ index: 0, id: `call_${server.requests.length}`, type: 'function', function: { name: script.tool, arguments: JSON.stringify(script.args) } }] }))
    send(chunk({}, 'tool_calls'))
  } else {
    for (const part of script.perWord ? script.text.split(/(?<= )/) : [script.text]) {
      send(chunk({ content: part }))
      if (script.perWord) await new Promise(resolve => setTimeout(resolve, script.perWord))
      if (seen.aborted) return
    }
    send(chunk({}, script.finish ?? 'stop'))
  }
  send({ id: 'scripted', object: 'chat.completion.chunk', created: 1, model: body.model, choices: [], usage: { prompt_tokens: 120, completion_tokens: 12, total_tokens: 132, prompt_cache_hit_tokens: 0, prompt_cache_miss_tokens: 120 } })
  response.end('data: [DONE]\n\n')
  seen.answeredAt = performance.timeOrigin + performance.now()
}

/** What a reviewer's model is asked for. */
function advisorTask(body) {
  if (!body.model.startsWith('reviewer')) return undefined
  const text = (body.messages ?? []).map(message => textOf(message.content)).join('\n')
  return /You guess what a human will type next/.test(text) ? 'predict' : /Answer with the word: ready/.test(text) ? 'trial' : 'review'
}

async function worker(server, seen) {
  if (!seen.title) await server.beforeWorker(seen)
  if (seen.title) return { text: /\{\{(.+?)\}\}/.exec(seen.messages.map(message => message.text).join('\n'))?.[1] ?? server.title }
  const users = seen.messages.filter(message => message.role === 'user' && !/^(Current runtime context|<system-reminder>)/.test(message.text)).map(message => message.text)
  const last = users.at(-1) ?? ''
  const afterTool = seen.messages.at(-1)?.role === 'tool'
  if (last.includes('<goal_round>')) return goalRound(server, seen, last)
  if (last.startsWith('[advisor:')) return { text: 'I have read that, and go on.' }
  if (afterTool) return { text: 'The tool printed its output; this part is done.' }
  if (server.says !== undefined) return { text: server.says }
  if (last.includes('[[tool]]')) return { tool: 'bash', args: { command: 'echo SECRET-TOOL-OUTPUT', description: 'say it' } }
  if (last.includes('[[goal]]')) return { tool: 'create_goal', args: { objective: 'Finish the report command' } }
  if (last.includes('[[todo]]')) return { tool: 'todo_write', args: { todos: [{ content: 'write the parser', status: 'in_progress' }, { content: 'write the tests', status: 'pending' }] } }
  if (last.includes('[[error]]')) return { status: 400, message: 'the worker refused this request' }
  if (last.includes('[[cut]]')) return { text: 'cut', finish: 'length' }
  if (last.includes('[[slow]]')) return { text: 'slow words that keep coming one after another until somebody stops this stream or it ends', perWord: 120 }
  return { text: `Done: ${last.slice(0, 120).replace(/\s+/g, ' ')}` }
}

function goalRound(server, seen, last) {
  const round = Number(/Round: (\d+)\//.exec(last)?.[1] ?? 0)
  if (round < server.goalRounds) return { delay: server.goalRoundDelay, text: `Round ${round}: made progress, work remains.` }
  const tools = seen.messages.filter(message => message.role === 'tool').map(message => message.text)
  const goal = tools.map(text => { try { return JSON.parse(text) } catch { return null } }).filter(value => value?.goal?.id).at(-1)?.goal
  if (goal === undefined || seen.messages.at(-1)?.role !== 'tool') return { tool: 'get_goal', args: {} }
  if (goal.phase === 'complete') return { text: 'Goal closed out: everything verified.' }
  return { tool: 'update_goal', args: { goal_id: goal.id, revision: goal.revision, action: 'complete' } }
}
