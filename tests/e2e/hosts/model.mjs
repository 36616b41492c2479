// A model server for tests: it says one sentence, in the two dialects that Claude Code and Codex speak, and it answers the
// small questions that they ask beside the conversation. It listens on loopback only.
//
//   node model.mjs PORT_FILE [LOG]     writes its port to PORT_FILE, and the path of each request to LOG
import { appendFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'

const SENTENCE = 'The flag is in. `report::empty_ledger` still fails.'
const [portFile, log] = process.argv.slice(2)
let number = 0

/** The smallest value that fits a JSON Schema. */
function smallest(schema) {
  if (schema?.enum) return schema.enum[0]
  if (schema?.type === 'object') {
    return Object.fromEntries((schema.required ?? []).map(key => [key, smallest(schema.properties?.[key])]))
  }
  if (schema?.type === 'array') return []
  if (schema?.type === 'boolean') return true
  return schema?.type === 'number' || schema?.type === 'integer' ? 0 : 'Title'
}

/** What is said: JSON where a schema asks for it, else the sentence. */
function words(body) {
  const schema = body.output_config?.format?.schema ?? body.output_format?.schema ?? body.text?.format?.schema
  return schema ? JSON.stringify(smallest(schema)) : SENTENCE
}

function anthropic(body, send) {
  const text = words(body)
  const message = { id: `msg_${++number}`, type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 } }
  if (!body.stream) return { ...message, content: [{ type: 'text', text }], stop_reason: 'end_turn' }
  const event = value => send(value.type, value)
  event({ type: 'message_start', message })
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
  event({ type: 'content_block_stop', index: 0 })
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 12 } })
  event({ type: 'message_stop' })
}

function responses(body, send) {
  const text = words(body)
  const id = ++number
  const response = (status, output, more = {}) => ({ id: `resp_${id}`, object: 'response', created_at: 1, model: body.model, status, output, ...more })
  const item = { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] }
  const usage = { input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, output_tokens: 12, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 22 }
  const final = response('completed', [item], { usage })
  if (!body.stream) return final
  const event = value => send(value.type, value)
  event({ type: 'response.created', response: response('in_progress', []) })
  event({ type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } })
  event({ type: 'response.output_text.delta', item_id: item.id, output_index: 0, content_index: 0, delta: text })
  event({ type: 'response.output_item.done', output_index: 0, item })
  event({ type: 'response.completed', response: final })
}

const server = createServer(async (request, response) => {
  const path = new URL(request.url, 'http://localhost').pathname
  if (log) appendFileSync(log, `${request.method} ${path}\n`)
  let bytes = ''
  for await (const chunk of request) bytes += chunk
  let body = {}
  try {
    body = JSON.parse(bytes || '{}')
  } catch {
    // Compressed or no JSON: answered by the path alone.
  }
  const json = value => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  if (path.endsWith('/count_tokens')) return json({ input_tokens: 10 })
  if (path.endsWith('/models')) return json({ object: 'list', data: [], models: [] })
  const speak = path.endsWith('/messages') ? anthropic : path.endsWith('/responses') ? responses : undefined
  if (!speak) return response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not here"}}')
  const send = (type, value) => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: ${type}\ndata: ${JSON.stringify(value)}\n\n`)
  }
  const whole = speak(body, send)
  if (whole) return json(whole)
  response.end()
})
server.listen(0, '127.0.0.1', () => writeFileSync(portFile, String(server.address().port)))
