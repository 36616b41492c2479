/** Finding the `suggest` binary: the configuration, beside the package, a platform package, the search path. */
import { accessSync, chmodSync, constants, existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Binary = { path: string } | { problem: string }

export interface Places {
  configured?: string | undefined
  /** The folder of this package. */
  package?: string
  searchPath?: string | undefined
  platform?: string
  arch?: string
  /** The folder of an installed package, or nothing. */
  resolve?: (name: string) => string | undefined
}

/** The folder of this package, from its source as from what is built of it. */
const here = packageOf(dirname(fileURLToPath(import.meta.url)))

function packageOf(folder: string): string {
  const above = dirname(folder)
  return above === folder || existsSync(join(folder, 'package.json')) ? folder : packageOf(above)
}

export function findBinary(places: Places): Binary {
  const platform = places.platform ?? process.platform
  const file = platform === 'win32' ? 'suggest.exe' : 'suggest'
  if (places.configured !== undefined && places.configured !== '') {
    const problem = unusable(places.configured)
    return problem === undefined ? { path: places.configured } : { problem: `the configured binary ${problem}` }
  }
  const platformPackage = (places.resolve ?? installed)(`@dsh-suggest/${platform}-${places.arch ?? process.arch}`)
  const candidates = [
    join(places.package ?? here, 'bin', file),
    ...(platformPackage === undefined ? [] : [join(platformPackage, 'bin', file)]),
    ...(places.searchPath ?? process.env['PATH'] ?? '').split(delimiter).filter(Boolean).map(folder => join(folder, file)),
  ]
  let broken: string | undefined
  for (const path of candidates) {
    const problem = unusable(path)
    if (problem === undefined) return { path }
    if (problem !== MISSING) broken ??= `${path} ${problem}`
  }
  return { problem: broken ?? `no ${file} beside the package or on PATH; set \`binary\` in the plugin's row` }
}

const MISSING = 'does not exist'

/** Why the file cannot be run. Some package managers drop the executable bit; it is put back where that is allowed. */
function unusable(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return 'is not a file'
  } catch {
    return MISSING
  }
  try {
    accessSync(path, constants.X_OK)
  } catch {
    try {
      chmodSync(path, 0o755)
    } catch {
      return 'is not executable'
    }
  }
  return undefined
}

function installed(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}
