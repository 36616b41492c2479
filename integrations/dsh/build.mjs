// Builds the host half with tsc (one file in, one file out) and the browser half into one classic script.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

rmSync(join(here, 'lib'), { recursive: true, force: true })
execFileSync(process.execPath, [tsc, '-p', here], { stdio: 'inherit' })
await build({
  entryPoints: [join(here, 'src/bar/index.ts')],
  outfile: join(here, 'client.js'),
  bundle: true,
  format: 'cjs',
  platform: 'browser',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  external: ['react', '@deepseek-ai/*'],
  // The host's loader calls the factory once with its own `require`; a plugin is a classic script, not a module.
  banner: {
    js: 'window.__ModuleLoader__.load({ id: "dsh-suggest", factory: (require) => {\nvar module = { exports: {} }; var exports = module.exports;',
  },
  footer: { js: 'return module.exports;\n} });' },
})
