// Builds each half into one file: the host half as a module, the browser half as a classic script.
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const common = { bundle: true, charset: 'utf8', legalComments: 'inline' }

rmSync(join(here, 'lib'), { recursive: true, force: true })
await build({
  ...common,
  entryPoints: [join(here, 'src/index.ts')],
  outfile: join(here, 'lib/index.js'),
  format: 'esm',
  platform: 'node',
  target: 'node22',
  // A host installs the package offline, so that what it needs is in it. This build of yaml is made of modules.
  alias: { yaml: join(here, 'node_modules/yaml/browser/index.js') },
  banner: {
    js: `/*!
 * Contains "yaml", Copyright Eemeli Aro <eemeli@gmail.com>, under the ISC License:
 * Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby
 * granted, provided that the above copyright notice and this permission notice appear in all copies. THE SOFTWARE IS
 * PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED
 * WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT,
 * OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION
 * OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS
 * SOFTWARE.
 */`,
  },
})
await build({
  ...common,
  entryPoints: [join(here, 'src/bar/index.ts')],
  outfile: join(here, 'client.js'),
  format: 'cjs',
  platform: 'browser',
  target: 'es2022',
  external: ['react', '@deepseek-ai/*'],
  // The host's loader calls the factory once with its own `require`; a plugin is a classic script, not a module.
  banner: {
    js: 'window.__ModuleLoader__.load({ id: "dsh-suggest", factory: (require) => {\nvar module = { exports: {} }; var exports = module.exports;',
  },
  footer: { js: 'return module.exports;\n} });' },
})
