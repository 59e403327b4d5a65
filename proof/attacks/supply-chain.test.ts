// Proves: kernel.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// What can be checked of our dependencies without a registry. Known vulnerabilities are looked up
// by hand, as SECURITY.md describes.

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

type Locked = {
  version: string
  license?: string
  integrity?: string
  resolved?: string
  link?: boolean
  hasInstallScript?: boolean
  dev?: boolean
  optional?: boolean
}
const lock: { lockfileVersion: number; packages: Record<string, Locked> } =
  read('package-lock.json')
const foreign = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link,
)
const workspaces: string[] = ['.', ...read('package.json').workspaces]

/** Licences that do not oblige users of a package to publish their own code. */
/** Their package.json says it as a list, which the lock file does not carry over. */
const OLD_STYLE: Record<string, string> = { 'node_modules/querystring-es3': 'MIT' }
const LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'CC0-1.0',
  'Unlicense',
  // Applies to changes of the package's own files; only a build tool has it.
  'MPL-2.0',
  // A typeface may be shipped with a program, and not sold alone.
  'OFL-1.1',
]

test('every package is locked to one version and the checksum of its content', () => {
  expect(lock.lockfileVersion).toBe(3)
  expect(foreign.length).toBeGreaterThan(50)
  for (const [path, { version, integrity }] of foreign) {
    expect([path, version]).toEqual([path, expect.stringMatching(/^\d+\.\d+\.\d+/)])
    expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-[\w+/]{86}==/)])
  }
})

test('no package comes from an address: whoever installs chooses the registry', () => {
  expect(foreign.filter(([, { resolved }]) => resolved).map(([path]) => path)).toEqual([])
})

test.each(workspaces)('%s asks for exact versions', (folder) => {
  const { dependencies, devDependencies, optionalDependencies } = read(`${folder}/package.json`)
  const asked = { ...dependencies, ...devDependencies, ...optionalDependencies }
  const loose = Object.entries(asked).filter(
    ([, version]) => !/^(npm:[\w/@-]+@)?\d+\.\d+\.\d+/.test(String(version)),
  )
  expect(loose).toEqual([])
})

test('licences are among those that we have agreed to', () => {
  const words = (licence: string) => licence.match(/[\w.-]+/g)!.filter((w) => !/^(OR|AND)$/.test(w))
  for (const [path, { license = OLD_STYLE[path] ?? 'none' }] of foreign) {
    for (const word of words(license))
      expect([path, LICENCES.includes(word) || word]).toEqual([path, true])
  }
})

test('scripts run at installation only for those that are named', () => {
  const { allowScripts } = read('package.json')
  const scripted = foreign
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
  expect(scripted.sort()).toEqual(Object.keys(allowScripts).sort())
})

test('what is installed is what is locked', () => {
  const installed: Record<string, Locked> = read('node_modules/.package-lock.json').packages
  for (const [path, { version, integrity, optional }] of foreign) {
    if (optional && !existsSync(join(ROOT, path))) continue
    const there = installed[path]
    expect([path, there?.version, there?.integrity]).toEqual([path, version, integrity])
    expect([path, read(`${path}/package.json`).version]).toEqual([path, version])
  }
})
