import { readFileSync } from 'node:fs'

/**
 * A time limit of a test on this machine: `ms` times the slowdown that `npm test` has measured.
 * Read anew each time, because a run measures it again each minute. Without `npm test` it is 1.
 */
export function stretched(ms: number): number {
  const file = process.env.ERGON_SLOWDOWN_FILE
  return file ? Math.ceil(ms * Number(readFileSync(file, 'utf8'))) : ms
}
