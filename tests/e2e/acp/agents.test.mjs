// Each test is run with each agent: the proxy, the agent and the model are real processes.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Editor } from './editor.mjs'
import { startModel } from './model.mjs'

const { SUGGEST_BIN, SUGGEST_E2E_AGENTS } = process.env

const AGENTS = {
  opencode: {
    command: ['opencode', 'acp'],
    prepare(home, url) {
      const folder = join(home, '.config/opencode')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'opencode.json'), JSON.stringify({
        autoupdate: false, share: 'disabled', model: 'mock/worker', small_model: 'mock/worker', permission: 'allow',
        provider: { mock: { npm: '@ai-sdk/openai-compatible', name: 'Mock', options: { baseURL: url, apiKey: 'sk-test' },
          models: { worker: { name: 'Worker', tool_call: true, limit: { context: 100000, output: 8000 } } } } },
      }))
      return { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' }
    },
  },
  qwen: {
    command: ['qwen', '--acp'],
    suggests: true,
    prepare(home, url) {
      mkdirSync(join(home, '.qwen'), { recursive: true })
      writeFileSync(join(home, '.qwen/settings.json'), JSON.stringify({
        $version: 4, security: { auth: { selectedType: 'openai' } }, general: { enableAutoUpdate: false, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false },
      }))
      return { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: url, OPENAI_MODEL: 'worker' }
    },
  },
}

for (const name of SUGGEST_E2E_AGENTS.split(/\s+/)) {
  const agent = AGENTS[name]
  describe(name, { timeout: 900_000 }, () => {
    let model, folder, env, work
    const editors = []
    before(async () => {
      model = await startModel()
      folder = mkdtempSync(join(tmpdir(), `suggest-acp-${name}-`))
      work = join(folder, 'work')
      mkdirSync(work)
      const home = join(folder, 'home')
      mkdirSync(home)
      writeFileSync(join(folder, 'suggest.toml'), `promptModel = "mine/director"\n[providers.mine]\nbaseUrl = "${model.url}"\n`)
      const { PATH, LANG } = process.env
      env = {
        // Whatever an agent wants of the internet fails at once: everything that it needs is on loopback.
        https_proxy: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9', no_proxy: '127.0.0.1,localhost', NO_PROXY: '127.0.0.1,localhost',
        PATH, LANG, HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_DATA_HOME: join(home, '.local/share'),
        XDG_STATE_HOME: join(home, '.local/state'), XDG_CACHE_HOME: join(home, '.cache'),
        SUGGEST_CONFIG: join(folder, 'suggest.toml'), ...agent.prepare(home, model.url),
      }
    })
    after(() => {
      for (const editor of editors) editor.kill()
      model.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    })
    const start = (command = agent.command) => {
      const editor = new Editor({ command: [SUGGEST_BIN, 'acp', '--', ...command], env, cwd: work, log: join(folder, 'stderr.log') })
      editors.push(editor)
      return editor
    }
    const say = (...offers) => {
      let at = 0
      model.director = () => (at < offers.length ? `NEXT: ${offers[at++]}` : 'NONE')
    }

    test('what both sides say passes byte for byte', async () => {
      say('Add the tests.', 'Add the docs.', 'Merge it.')
      const [heard, said] = [join(folder, 'heard'), join(folder, 'said')]
      const editor = start(['sh', '-c', `tee '${heard}' | "$@" | tee '${said}'`, 'sh', ...agent.command])
      const session = await editor.open(work)
      for (const words of ['say hello', 'run a command [[tool]]']) {
        const { result } = await editor.prompt(session, words).answer
        assert.equal(result.stopReason, 'end_turn')
      }
      const slow = editor.prompt(session, 'go slowly [[slow]]')
      await editor.until('a slow word', message => message.params?.update?.content?.text?.includes('word1'), slow.from)
      editor.cancel(session)
      assert.equal((await slow.answer).result.stopReason, 'cancelled')
      const load = await editor.ask('session/load', { sessionId: session, cwd: work, mcpServers: [] }).answer
      assert.ok(load.result, JSON.stringify(load))
      await editor.close()
      const ours = ({ message }) => message.params?.update?.availableCommands?.some(command => command.name === 'autorun')
      const passed = Buffer.concat(editor.lines.filter(line => !ours(line)).map(({ line }) => line))
      assert.ok(passed.equals(readFileSync(said)), 'the editor heard what the agent said')
      assert.ok(Buffer.from(editor.sent.join('')).equals(readFileSync(heard)), 'the agent heard what the editor said')
      assert.ok(editor.lines.some(ours), 'our commands stood beside the agent\'s')
    })

    test('/next describes the suggestion and sends it', async () => {
      say('Write the release notes.', 'Add the docs.')
      const editor = start()
      const session = await editor.open(work)
      assert.match(editor.words((await nextWords(editor, session, '/next')).from), /no suggestion yet/i)
      await editor.prompt(session, 'write the parser').answer
      if (agent.suggests) {
        // Whose suggestion comes first is a race; the agent's stays.
        const described = await editor.described('Send: ')
        if (!described.includes('agent\'s own')) await editor.prompt(session, 'go on').answer
      } else {
        assert.equal(await editor.described('Send: '), 'Send: Write the release notes. (mine/director)')
        const sent = editor.prompt(session, '/next')
        assert.equal((await sent.answer).result.stopReason, 'end_turn')
        assert.match(editor.words(sent.from), /> Write the release notes\.[^]*Done: .*Write the release notes\./)
        assert.ok(model.prompts.some(prompt => prompt.includes('Write the release notes.')))
        assert.ok(!model.prompts.some(prompt => prompt.includes('/next')), 'the agent never saw the command')
      }
      const state = await nextWords(editor, session, '/next state')
      assert.match(editor.words(state.from), /```[^]*```/)
      await editor.close()
    })

    test('/autorun runs rounds in one prompt, and a cancel stops it at once', async () => {
      say('Round one.', 'Round two.', 'Go slowly [[slow]]', 'Never this.')
      const editor = start()
      const session = await editor.open(work)
      await editor.prompt(session, 'write the parser').answer
      const run = editor.prompt(session, '/autorun')
      await editor.until('the third round', message => message.params?.update?.content?.text?.includes('round 3'), run.from)
      await editor.until('a slow word', message => message.params?.update?.content?.text?.includes('word1'), run.from)
      const cancelled = Date.now()
      editor.cancel(session)
      const { result } = await run.answer
      assert.equal(result.stopReason, 'cancelled')
      assert.ok(Date.now() - cancelled < 5_000)
      const words = editor.words(run.from)
      assert.match(words, /round 1\*\*[^]*Round one\.[^]*round 2\*\*[^]*Round two\.[^]*It ran 3 rounds/)
      assert.ok(!editor.lines.some(({ message }) => String(message.id).startsWith('suggest-')), 'no request of ours leaked')
      const { result: later } = await editor.prompt(session, 'and now something else').answer
      assert.equal(later.stopReason, 'end_turn')
      assert.ok(!model.prompts.some(prompt => prompt.includes('Never this.')))
      await editor.close()
    })

    test('a goal from here leads the suggestions', async () => {
      say('Towards it.')
      const editor = start()
      const session = await editor.open(work)
      await nextWords(editor, session, '/goal ship the parser')
      let slice = ''
      const before = model.director
      model.director = (count, body) => { slice = JSON.stringify(body.messages); return before(count, body) }
      await editor.prompt(session, 'begin').answer
      while (slice === '') await new Promise(resolve => setTimeout(resolve, 50))
      assert.match(slice, /ship the parser/)
      await editor.close()
    })

    test('an agent that dies takes its prompt with it, and its status is passed on', async () => {
      say('Go slowly [[slow]]')
      const editor = start()
      const session = await editor.open(work)
      await editor.prompt(session, 'write the parser').answer
      const run = editor.prompt(session, '/autorun')
      await editor.until('a slow word', message => message.params?.update?.content?.text?.includes('word1'), run.from)
      const child = readFileSync(`/proc/${editor.child.pid}/task/${editor.child.pid}/children`, 'utf8').trim().split(' ')[0]
      process.kill(Number(child), 'SIGKILL')
      const answer = await run.answer
      // A wrapper's real process is told to end, and may still answer its round before it does.
      const stopped = answer.error?.message === 'the connection to the agent ended' || /Autorun stopped/.test(editor.words(run.from))
      assert.ok(stopped, JSON.stringify(answer))
      assert.deepEqual(await editor.ended, { code: 137, signal: null })
      assert.deepEqual(left(editor.child.pid), [], 'nothing of the agent is left')
    })

    if (agent.suggests) {
      test('its own suggestion stays the only one, and /next sends it', async () => {
        say('Ours, first.', 'Ours, second.', 'Ours, third.')
        const editor = start()
        const session = await editor.open(work)
        // It suggests from the second exchange on.
        let described
        for (const words of ['write the parser', 'test the parser', 'document the parser']) {
          const turn = editor.prompt(session, words)
          await turn.answer
          described = await Promise.race([
            editor.described('the agent\'s own suggestion', turn.from),
            new Promise(resolve => setTimeout(resolve, 5_000)),
          ])
          if (described) break
        }
        assert.equal(described, 'Send: run the tests (the agent\'s own suggestion)')
        assert.ok(editor.lines.some(({ message }) => message.method === 'qwen/notify/session/prompt-suggestion'), 'it passed')
        const sent = editor.prompt(session, '/next')
        assert.equal((await sent.answer).result.stopReason, 'end_turn')
        assert.ok(model.prompts.some(prompt => prompt.includes('run the tests')))
        await editor.close()
      })
    }
  })
}

async function nextWords(editor, session, line) {
  await editor.until('our commands', message => message.params?.update?.availableCommands?.some(command => command.name === 'next'), 0)
  const asked = editor.prompt(session, line)
  const { result } = await asked.answer
  assert.equal(result?.stopReason, 'end_turn')
  return asked
}

/** Processes that the given one started and that are still there. */
function left(parent) {
  return readdirSync('/proc').filter(entry => {
    if (!/^\d+$/.test(entry)) return false
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      const [state, parentOf] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(parentOf) === parent && state !== 'Z'
    } catch {
      return false
    }
  })
}
