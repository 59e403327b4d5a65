import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { roomsOf } from '../../scripts/index.ts'
import type { Place } from './place.ts'
import { ROOMS } from './sources.ts'
import { functionsIn } from './sql.ts'

/** What one healthy run of a test file executed, and how long it took. */
export type Covered = {
  /** Hash of the test file and of all sources that it may run. */
  state: string
  seconds: number
  /** A file that fails without a mutant proves nothing about one. */
  green: boolean
  /** Names of the functions that ran, by source file. */
  functions: Record<string, string[]>
  /** Names of statements and of SQL functions. */
  sql: string[]
}
export type Coverage = Record<string, Covered>

const TOO_LONG = ['proof/faults/chaos.test.ts']

/** The tests of a room: its own, and those of `proof` whose first line names it. */
export function testsOf(root: string, room: string): string[] {
  const own = globSync(`service/${room}/**/*.test.ts`, { cwd: root }).sort()
  const proofs = ['contract', 'stories', 'attacks', 'faults'].flatMap((folder) =>
    globSync(`proof/${folder}/*.{test,story}.ts`, { cwd: root }).sort(),
  )
  const naming = proofs.filter((file) => roomsOf(file).includes(room))
  return [...own, ...naming].filter((file) => !TOO_LONG.includes(file))
}

/** Hashes the sources that tests may run, together with one test file or with all of them. */
export function openState(root: string): { of(file: string): string; all(): string } {
  const read = (path: string) => readFileSync(join(root, path))
  const isTest = (path: string) => /\.(test|story|bench)\.ts$/.test(path)
  const found = globSync(
    ['{service,contract,tron,devnet,sdk,cli}/**/*.{ts,sql}', 'proof/{testing,faults}/*.ts'],
    { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] },
  )
  const sources = createHash('sha256')
  for (const path of found.filter((one) => !isTest(one)).sort()) {
    sources.update(path).update('\0').update(read(path))
  }
  const base = sources.digest('hex')
  const hashOf = (files: string[]) => {
    const hash = createHash('sha256').update(base)
    for (const file of files) hash.update(file).update('\0').update(read(file))
    return hash.digest('hex').slice(0, 16)
  }
  const tests = () => [...new Set(ROOMS.flatMap((room) => testsOf(root, room)))].sort()
  return { of: (file) => hashOf([file]), all: () => hashOf(tests()) }
}

export type State = ReturnType<typeof openState>

/** Test files of the rooms that are not measured in this state. */
export function unmeasured(
  root: string,
  rooms: readonly string[],
  { coverage, state }: { coverage: Coverage; state: State },
): string[] {
  const files = [...new Set(rooms.flatMap((room) => testsOf(root, room)))]
  return files.filter((file) => coverage[file]?.state !== state.of(file))
}

export function readCoverage(path: string): Coverage {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

export function writeCoverage(path: string, coverage: Coverage): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(coverage)}\n`)
}

/** The callers of each SQL function: a test that runs a caller runs it too. */
export function callersIn(root: string): Map<string, string[]> {
  const files = globSync('service/*/schema/*.sql', { cwd: root })
  const functions = files.flatMap((file) => functionsIn(readFileSync(join(root, file), 'utf8')))
  const calling = (name: string) =>
    functions.filter(({ body }) => body.toLowerCase().includes(`${name}(`)).map((one) => one.name)
  return new Map(functions.map(({ name }) => [name, calling(name)]))
}

export type Covering = { coverage: Coverage; callers: Map<string, string[]>; own: string[] }

/**
 * The test files that run the changed code: the room's own first, then others, each the cheapest
 * first. Programs that tests start are not measured, so the signer, and places that no test seems
 * to run, get all tests of the room.
 */
export function filesFor(place: Place, { coverage, callers, own }: Covering): string[] {
  const green = Object.keys(coverage).filter((file) => coverage[file]!.green)
  const covering = green.filter((file) => covers(coverage[file]!, place, callers))
  const all = place.room === 'signer' || covering.length === 0 ? own : []
  const chosen = [...new Set([...covering, ...all])].filter((file) => green.includes(file))
  const rank = (file: string) => (own.includes(file) ? 0 : 1)
  const cost = (file: string) => coverage[file]!.seconds
  return chosen.sort((a, b) => rank(a) - rank(b) || cost(a) - cost(b) || (a < b ? -1 : 1))
}

function covers(covered: Covered, place: Place, callers: Map<string, string[]>): boolean {
  if (place.inStatement) return covered.sql.includes(place.inStatement)
  if (place.inSqlFunction) {
    const entered = [place.inSqlFunction]
    // Grows during the loop, so that callers of callers are found too.
    for (const name of entered) {
      entered.push(...(callers.get(name) ?? []).filter((caller) => !entered.includes(caller)))
    }
    return entered.some((name) => covered.sql.includes(name))
  }
  const ran = covered.functions[place.file]
  if (!ran || !place.inFunctions?.length) return ran !== undefined
  return place.inFunctions.some((name) => ran.includes(name))
}
