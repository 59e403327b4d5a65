import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { changeOf, type Place } from './place.ts'

/**
 * caught: a test went red. survived: every test that was tried is green. untested: no test runs the
 * place. invalid: the database refuses the statement, so it is no bug that somebody could ship.
 */
export type Outcome = 'caught' | 'survived' | 'untested' | 'invalid'
export type Verdict = {
  outcome: Outcome
  /** The file that noticed it, and its first red test. */
  by?: string
  test?: string
  tried: string[]
  /** Covering files for which there was no time. */
  untried: string[]
  seconds: number
}
export type Result = Verdict & {
  id: string
  room: string
  file: string
  line: number
  lineText: string
  kind: string
  change: string
  /** Of the sources and tests, when it was tried. */
  state: string
}

export function resultOf(place: Place, verdict: Verdict, state: string): Result {
  const { id, room, file, line, lineText, kind } = place
  return { id, room, file, line, lineText, kind, change: changeOf(place), ...verdict, state }
}

export function appendResult(path: string, result: Result): void {
  mkdirSync(dirname(path), { recursive: true })
  appendFileSync(path, `${JSON.stringify(result)}\n`)
}

/**
 * What need not be tried again. Its id says that the line is still the same, so what was caught stays
 * caught; what was not is tried again as soon as a source or a test has changed.
 */
export function readResults(path: string, state: string): Map<string, Result> {
  const known = new Map<string, Result>()
  if (!existsSync(path)) return known
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const result = parsed(line)
    if (!result) continue
    if (result.outcome === 'caught' || result.state === state) known.set(result.id, result)
    else known.delete(result.id)
  }
  return known
}

/** A run that was killed may have left half a line. */
function parsed(line: string): Result | undefined {
  try {
    return line ? JSON.parse(line) : undefined
  } catch {
    return undefined
  }
}
