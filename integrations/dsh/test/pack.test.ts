import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string): Record<string, any> => JSON.parse(readFileSync(path, 'utf8'))
const platforms = readdirSync(join(root, 'npm')).sort()

test('each platform package is what the plugin looks for on that platform', () => {
  const version = read(join(root, 'package.json'))['version']
  assert.ok(platforms.includes('linux-x64'))
  for (const name of platforms) {
    const { bin, cpu, libc, name: full, os, version: own, license } = read(join(root, 'npm', name, 'package.json'))
    assert.deepEqual([full, own, license, `${os}-${cpu}`], [`@dsh-suggest/${name}`, version, 'MIT OR Apache-2.0', name])
    assert.deepEqual(bin, { suggest: os[0] === 'win32' ? 'bin/suggest.exe' : 'bin/suggest' })
    assert.deepEqual(libc, os[0] === 'linux' ? ['glibc'] : undefined)
  }
})

test('the version that the plugin tells the engine is that of the package', () => {
  assert.ok(readFileSync(join(root, 'src/host/plugin.ts'), 'utf8').includes(`VERSION = '${read(join(root, 'package.json'))['version']}'`))
})

test('the tarballs hold what runs and its licences, and nothing of the workshop', { skip: process.platform === 'win32' }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'dsh-suggest-pack-test-'))
  try {
    const binary = join(dir, 'suggest')
    writeFileSync(binary, '#!/bin/sh\n', { mode: 0o644 })
    const pack = (...more: string[]): string => execFileSync(process.execPath, [join(root, 'pack.mjs'), '--built', '--binary', binary, '--out', dir, ...more], { encoding: 'utf8' }).trim()
    const list = (tarball: string): string[] => execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' }).trim().split('\n').map(line => line.replace(/^package\//, '')).sort()
    const licences = ['LICENSE-APACHE', 'LICENSE-MIT']
    const plugin = [...licences, 'README.md', 'client.js', 'cordis.patch.yml', 'lib/index.js', 'package.json']
    const local = pack()
    assert.deepEqual(list(local), [...plugin, 'bin/suggest'].sort())
    assert.match(execFileSync('tar', ['tvzf', local, 'package/bin/suggest'], { encoding: 'utf8' }), /^-rwxr-xr-x/)
    const registry = pack('--registry')
    assert.deepEqual(list(registry), plugin.sort())
    assert.ok(statSync(registry).size < 500_000)
    const manifest = JSON.parse(execFileSync('tar', ['xzOf', registry, 'package/package.json'], { encoding: 'utf8' }))
    assert.deepEqual(manifest.optionalDependencies, Object.fromEntries(platforms.map(name => [`@dsh-suggest/${name}`, manifest.version])))
    assert.deepEqual([manifest.scripts, manifest.devDependencies, manifest.dependencies], [undefined, undefined, undefined])
    const platform = readdirSync(dir).find(file => file.startsWith('dsh-suggest-') && file.includes(`${process.platform}-${process.arch}`))
    if (platforms.includes(`${process.platform}-${process.arch}`)) assert.deepEqual(list(join(dir, platform ?? '')), [...licences, 'bin/suggest', 'package.json'])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
