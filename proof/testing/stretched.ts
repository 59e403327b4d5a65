import { readFileSync } from 'node:fs'

/** A limit is computed when a test begins, and the machine may slow down after that. */
const LEEWAY = 3

/**
 * A time limit of a test on this machine: `ms` times the slowdown that `npm test` measured, or
 * three if that is more. Read each time, because a run measures it every minute. Without `npm test`
 * it is 1.
 */
export function stretched(ms: number): number {
  const file = process.env.ERGON_SLOWDOWN_FILE
  return file ? Math.ceil(ms * Math.max(LEEWAY, Number(readFileSync(file, 'utf8')))) : ms
}
