// A scripted chat-completions server on loopback. It plays the agent's model and the director's.
//
// The agent's model does what a mark in the newest prompt says: [[tool]] runs a shell command, [[slow]] says a word
// every 150 ms, [[error]] fails. The director's model (named `director`) says what `server.director` says.
import { createServer } from 'node:http'

const textOf = content =>
  typeof content === 'string' ? content : (content ?? []).map(part => part.text ?? '').join('')

const SHELLS = { bash: command => ({ command, description: 'say hello' }), run_shell_command: command => ({ command, is_background: false }) }

export async function startModel() {
  const server = { director: () => 'NONE', directorCalls: 0, prompts: [] }
  const http = createServer((request, response) => {
    let raw = ''
    request.on('error', () => {}).setEncoding('utf8').on('data', part => { raw += part })
    request.on('end', () => answer(server, request, response, raw).catch(() => response.destroy()))
  })
  await new Promise(resolve => http.listen(0, '127.0.0.1', resolve))
  server.url = `http://127.0.0.1:${http.address().port}/v1`
  server.close = () => { http.closeAllConnections(); http.close() }
  return server
}

async function answer(server, request, response, raw) {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' })
    return response.end(JSON.stringify({ object: 'list', data: [{ id: 'worker' }, { id: 'director' }] }))
  }
  const body = JSON.parse(raw)
  const fail = () => {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'scripted failure', type: 'invalid_request_error' } }))
  }
  const say = part => {
    const choice = { index: 0, delta: part, finish_reason: null }
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: body.model, choices: [choice] }
    if (body.stream) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  const end = (text, calls) => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    const finish_reason = calls ? 'tool_calls' : 'stop'
    if (body.stream) {
      const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: body.model }
      response.write(`data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: {}, finish_reason }], usage })}\n\n`)
      return response.end('data: [DONE]\n\n')
    }
    const message = { role: 'assistant', content: text, ...(calls && { tool_calls: calls }) }
    const choices = [{ index: 0, message, finish_reason }]
    response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: body.model, choices, usage }))
  }
  response.writeHead(200, { 'content-type': body.stream ? 'text/event-stream' : 'application/json' })
  const whole = text => { for (const word of text.split(/(?<= )/)) say({ content: word }); end(text) }

  if (body.model === 'director') {
    server.directorCalls += 1
    const said = await server.director(server.directorCalls, body)
    return whole(said)
  }
  const human = body.messages.filter(message => message.role === 'user').map(message => textOf(message.content))
  const last = (human.at(-1) ?? '').trim()
  if (/SUGGESTION MODE/.test(last)) return whole('run the tests')
  const afterTool = body.messages.at(-1)?.role === 'tool'
  if (!body.tools?.length) return whole('A title')
  server.prompts.push(last)
  if (last.includes('[[error]]')) { response.removeAllListeners('close'); return end('failed') }
  if (last.includes('[[tool]]') && !afterTool) {
    const name = body.tools.map(tool => tool.function.name).find(name => SHELLS[name])
    const call = { id: `call_${server.prompts.length}`, type: 'function', function: { name, arguments: JSON.stringify(SHELLS[name]('echo hello-from-tool')) } }
    say({ content: 'I run it. ' })
    say({ tool_calls: [{ index: 0, ...call }] })
    return end('I run it. ', [call])
  }
  if (last.includes('[[slow]]')) {
    for (let number = 0; number < 200 && !response.destroyed; number += 1) {
      say({ content: `word${number} ` })
      await new Promise(resolve => setTimeout(resolve, 150))
    }
    return end('')
  }
  return whole(`Done: ${last.slice(-120)}`)
}
