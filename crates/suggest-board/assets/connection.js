// The token, the requests and the WebSocket. The token lives in this tab alone, and reaches the server in a header that no
// other page can set.

const TOKEN = 'suggest.token'
const PROTOCOL = 'suggest.board.v1'
const PAUSES = [300, 700, 1500, 3000, 5000]

export class Refused extends Error {
  constructor(status, code, message) {
    super(message)
    Object.assign(this, { status, code })
  }
}

const stored = () => { try { return sessionStorage.getItem(TOKEN) } catch { return null } }
let token = stored()

export const hasToken = () => token !== null

export function setToken(value) {
  token = value
  try {
    if (value === null) sessionStorage.removeItem(TOKEN)
    else sessionStorage.setItem(TOKEN, value)
  } catch { /* The token then lasts as long as the page. */ }
}

export async function ask(method, path, body) {
  const headers = token === null ? {} : { Authorization: `Bearer ${token}` }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  let answer
  try {
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), credentials: 'omit', cache: 'no-store', redirect: 'error' })
  } catch {
    throw new Refused(0, 'unreachable', '')
  }
  const value = await answer.json().catch(() => null)
  if (!answer.ok) throw new Refused(answer.status, value?.error?.code ?? 'unknown', value?.error?.message ?? String(answer.status))
  return value
}

/** Takes the code out of the address, so that it stays in no history, and changes it for the token. */
export async function redeem() {
  const code = location.hash.slice(1)
  if (!/^[0-9a-f]{64}$/.test(code)) return 'none'
  history.replaceState(null, '', location.pathname)
  try {
    setToken((await ask('POST', '/api/login', { code })).token)
    return 'opened'
  } catch (error) {
    return error.status === 403 ? 'used' : 'failed'
  }
}

/** Stays connected; tells what comes to `told(event)` and how it stands to `stands(state)`. */
export function follow(told, stands) {
  let tries = 0
  let socket = null
  let timer = null
  const connect = () => {
    clearTimeout(timer)
    if (token === null) return
    stands(tries === 0 ? 'connecting' : 'lost')
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const mine = socket = new WebSocket(`${scheme}://${location.host}/api/ws`, [PROTOCOL, `bearer.${token}`])
    let isFirst = true
    mine.onmessage = message => {
      if (mine !== socket) return
      let event
      try { event = JSON.parse(message.data) } catch { return }
      if (event.type === 'suggestion_update') {
        tries = 0
        stands('live')
        told(event, isFirst)
        isFirst = false
      } else told(event, false)
    }
    mine.onclose = async () => {
      if (mine !== socket) return
      stands('lost')
      const pause = PAUSES[Math.min(tries++, PAUSES.length - 1)] * (0.8 + Math.random() * 0.4)
      // A browser does not say why a WebSocket was refused; an ordinary request does.
      try {
        await ask('GET', '/api/sessions')
      } catch (error) {
        if (error.status === 401) {
          setToken(null)
          stands('locked')
          return
        }
      }
      timer = setTimeout(connect, pause)
    }
  }
  addEventListener('online', () => { if (socket?.readyState !== WebSocket.OPEN) connect() })
  connect()
  return { connect: () => { tries = 0; connect() } }
}
