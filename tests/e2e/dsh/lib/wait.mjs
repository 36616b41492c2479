// Bounded waits on conditions. Nothing here sleeps for luck.

/** The first truthy answer of `look`, within `ms`; the failure says what was waited for. */
export async function until(what, look, ms = 60_000, every = 25) {
  const end = Date.now() + ms
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}`)
    await new Promise(resolve => setTimeout(resolve, every))
  }
}

/** Looks for `ms` and fails as soon as `look` is true: for what must not happen. */
export async function never(what, look, ms) {
  const end = Date.now() + ms
  while (Date.now() < end) {
    if (await look()) throw new Error(`happened: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}

/** A promise with its handle outside. */
export function gate() {
  let open
  const opened = new Promise(resolve => { open = resolve })
  return { opened, open }
}

export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]
}
