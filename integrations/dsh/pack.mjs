// Packs the plugin.
//   node pack.mjs [--binary FILE] [--version V] [--out DIR]   one tarball for this machine, with the binary inside
//   node pack.mjs --registry                                  the two tarballs of a release: the plugin without a binary
//                                                             and the package of this platform that holds it
//   --built                                                  what is built already is packed as it is
// npm packs, not pnpm: pnpm drops the executable bit.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = dirname(fileURLToPath(import.meta.url))
const { values } = parseArgs({
  options: { binary: { type: 'string' }, version: { type: 'string' }, out: { type: 'string' }, registry: { type: 'boolean', default: false }, built: { type: 'boolean', default: false } },
})
const out = resolve(values.out ?? here)
const target = process.env.CARGO_TARGET_DIR ?? join(here, '../../target')
const binary = values.binary ?? [join(target, 'release/suggest'), join(target, 'debug/suggest')].find(existsSync)
if (binary === undefined || !existsSync(binary)) throw new Error('no suggest binary; build it with `cargo build --release -p suggest-cli` or name one with --binary')

if (!values.built) execFileSync(process.execPath, [join(here, 'build.mjs')], { stdio: 'inherit' })
mkdirSync(out, { recursive: true })
const stage = mkdtempSync(join(tmpdir(), 'dsh-suggest-pack-'))
try {
  const plugin = join(stage, 'plugin')
  mkdirSync(plugin)
  for (const part of ['lib', 'client.js', 'cordis.patch.yml', 'README.md']) cpSync(join(here, part), join(plugin, part), { recursive: true })
  withLicences(plugin)
  const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
  if (values.version !== undefined) manifest.version = values.version
  delete manifest.scripts
  delete manifest.devDependencies
  const platform = `${process.platform}-${process.arch}`
  if (values.registry) {
    // A release is packed on each platform; the plugin names them all, and a package manager takes the one that fits.
    manifest.optionalDependencies = Object.fromEntries(readdirSync(join(here, 'npm')).sort().map(name => [`@dsh-suggest/${name}`, manifest.version]))
    const folder = join(stage, platform)
    mkdirSync(folder)
    const own = JSON.parse(readFileSync(join(here, 'npm', platform, 'package.json'), 'utf8'))
    own.version = manifest.version
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
    withLicences(folder)
    withBinary(folder)
    pack(folder)
  } else withBinary(plugin)
  writeFileSync(join(plugin, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  console.log(pack(plugin))
} finally {
  rmSync(stage, { recursive: true, force: true })
}

function withBinary(folder) {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  const file = join(folder, 'bin', process.platform === 'win32' ? 'suggest.exe' : 'suggest')
  copyFileSync(binary, file)
  chmodSync(file, 0o755)
}

function withLicences(folder) {
  for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(join(here, '../..', name), join(folder, name))
}

function pack(folder) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const said = execFileSync(npm, ['pack', '--json', '--ignore-scripts', '--pack-destination', out, folder], { encoding: 'utf8' })
  return join(out, JSON.parse(said)[0].filename)
}
