// The layers of `npm test`, in the order in which they run, each with the seconds it takes on two quiet cores.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A command such as the type checker, or test files for Vitest. */
export type Layer = { name: string; expectedSeconds: number; command: string[] } | Suite
export type Suite = { name: string; expectedSeconds: number; files: string[] }

export const ROOT = join(import.meta.dirname, '../..')
const CHROMIUM = '/usr/bin/chromium'
const TESTS = '{test,story}.ts'
const EVERYWHERE = '{contract,tron,scripts,service,sdk,cli,devnet,web,proof}/**'

/** `npm run check`: what is soon over, while one works. */
export function quickLayers(): Layer[] {
  const own = testFiles('{contract,tron,service}/**')
  return [...staticLayers(), { name: "rooms' own tests", expectedSeconds: 65, files: own }]
}

function staticLayers(): Layer[] {
  return [
    { name: 'types', expectedSeconds: 5, command: ['tsc', '--noEmit'] },
    { name: 'types of the web', expectedSeconds: 5, command: ['tsc', '--noEmit', '-p', 'web'] },
    { name: 'lint', expectedSeconds: 3, command: ['biome', 'check', '.'] },
    { name: 'unused', expectedSeconds: 6, command: ['knip'] },
  ]
}

export function allLayers(): Layer[] {
  return [
    ...staticLayers(),
    // Before the tests: none of them replaces pages that a process of another is serving.
    { name: 'pages', expectedSeconds: 20, command: ['node', 'web/build.ts'] },
    { name: 'tests', expectedSeconds: 560, files: allButBrowser() },
    { name: 'browser', expectedSeconds: 100, files: testFiles('proof/browser/**') },
  ]
}

/** Why a layer cannot run on this machine. */
export function missingFor({ name }: Layer): string | undefined {
  if (name !== 'browser' || existsSync(CHROMIUM)) return undefined
  return `there is no ${CHROMIUM}, and only root can install it (apt-get install chromium)`
}

function testFiles(where: string): string[] {
  const found = globSync(`${where}/*.${TESTS}`, { cwd: ROOT })
  return found.filter((file) => !file.includes('node_modules')).sort()
}

function allButBrowser(): string[] {
  // The browser wants both cores to itself, and may be missing: it is a layer of its own. Chaos, with
  // nine processes and two servers, is run by `npm run prove`, or by its name.
  const apart = ['proof/browser/', 'proof/faults/chaos.test.ts']
  return testFiles(EVERYWHERE).filter((file) => !apart.some((folder) => file.startsWith(folder)))
}

/**
 * `orders` or `service/orders`: the room's own tests, and whatever in `proof` says that it proves the room.
 * `proof/attacks` or a file: tests with that folder or name in their path.
 */
export function layerOf(wanted: string): Suite | undefined {
  const path = wanted.replace(/^\.\//, '').replace(/\/$/, '')
  const room = path.replace(/^service\//, '')
  const isIn = (file: string) => `/${file}`.includes(`/${path}/`) || file.startsWith(path)
  const all = testFiles(EVERYWHERE)
  const files = all.filter((file) => isIn(file) || roomsOf(file).includes(room))
  return files.length > 0 ? { name: path, expectedSeconds: 5 * files.length, files } : undefined
}

/** The rooms that a story, an attack or a fault is about, as its first line says. */
export function roomsOf(file: string): string[] {
  if (!file.startsWith('proof/')) return []
  const [first = ''] = readFileSync(join(ROOT, file), 'utf8').split('\n', 1)
  return first.match(/^\/\/ Proves: ([a-z, -]+)\.$/)?.[1]?.split(', ') ?? []
}
