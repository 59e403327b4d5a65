import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { changeOf, type Place } from './place.ts'

/**
 * caught: a test failed. survived: every test that was tried passed. untested: no test runs the
 * place. invalid: the database refuses the statement, so nobody could ship the bug.
 */
export type Outcome = 'caught' | 'survived' | 'untested' | 'invalid'
export type Verdict = {
  outcome: Outcome
  /** The file that caught it, and its first failed test. */
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
  /** Hash of the sources and tests when it was tried. */
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
 * Results that need not be repeated. The id implies that the line is unchanged, so a caught mutant
 * stays caught; the others are tried again as soon as a source or a test has changed.
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
