/**
 * Who may listen to the event stream: pages of this very server. The Host header binds every request, since a foreign
 * page that was rebound to this address cannot forge it; a browser's own marks must say "same origin".
 */
import { attempt } from './guard.ts'
import type { HttpRequest } from './types.ts'

export function trusted(request: HttpRequest, trustedHosts: readonly string[]): boolean {
  const host = single(request.headers['host'])
  const url = host === undefined ? undefined : authority(host)
  if (host === undefined || url === undefined) return false
  if (!loopback(url.hostname) && !trustedHosts.some(entry => matches(entry, url))) return false
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const origin = request.headers['origin']
  if (origin === undefined) return true
  const from = single(origin)
  return from !== undefined && attempt(() => new URL(from).host, undefined) === url.host
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function authority(text: string): URL | undefined {
  const url = attempt(() => new URL(`http://${text}`), undefined)
  return url !== undefined && url.pathname === '/' && url.username === '' && url.search === '' ? url : undefined
}

function loopback(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name)
}

/** An entry without a port fits every port. */
function matches(entry: string, url: URL): boolean {
  const wanted = authority(entry)
  if (wanted === undefined) return false
  return /:\d+$/.test(entry) ? wanted.host === url.host : wanted.hostname === url.hostname
}
