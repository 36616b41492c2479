#!/usr/bin/env node
// Stands between the plugin and the real sidecar, and kills it at one message. What to kill at is in a file that it
// takes away, so that the next sidecar lives.
import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

const file = process.env.SUGGEST_E2E_KILL_FILE
let wanted
try {
  wanted = readFileSync(file, 'utf8').trim()
} catch {
  wanted = undefined
}
const child = spawn(process.env.SUGGEST_E2E_REAL_BIN, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] })
child.on('exit', code => process.exit(code ?? 1))
child.stdin.on('error', () => {})
process.stdout.on('error', () => {})

const asked = new Map()
function pass(direction, line, to) {
  const { id, method } = JSON.parse(line)
  const key = `${direction}${id}`
  if (method !== undefined && id !== undefined) asked.set(key, method)
  // An answer is named after its question.
  const name = method === undefined ? `answer ${asked.get(`${direction === '>' ? '<' : '>'}${id}`)}` : method
  if (name === wanted) {
    rmSync(file, { force: true })
    child.kill('SIGKILL')
    process.exit(9)
  }
  to.write(`${line}\n`)
}
createInterface({ input: process.stdin }).on('line', line => pass('>', line, child.stdin)).on('close', () => child.stdin.end())
createInterface({ input: child.stdout }).on('line', line => pass('<', line, process.stdout))
