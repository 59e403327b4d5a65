import { isRefusal, type Refusal } from '@ergon/contract'
import { type usage, usageOf } from './usage.ts'

/** Exit codes of commands. */
export const EXIT = { done: 0, refused: 1, notUnderstood: 2, noAnswer: 3 } as const

/** Says what is wrong with the command line, then what can be written. */
export function notUnderstood(name: keyof typeof usage, why?: string): number {
  console.error(why === undefined ? usageOf(name) : `${why}\n${usageOf(name)}`)
  return EXIT.notUnderstood
}

/** Prints the result or the refusal, and returns the exit code. */
export function printResponse<T>(result: T | Refusal, say: (done: T) => void): number {
  if (isRefusal(result)) {
    console.error(String(result.extra.message ?? result.refused))
    return EXIT.refused
  }
  say(result as T)
  return EXIT.done
}
