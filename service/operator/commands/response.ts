import { isRefusal, type Refusal } from '@ergon/contract'
import { type usage, usageOf } from './usage.ts'

/** What a command ends with. */
export const EXIT = { done: 0, refused: 1, notUnderstood: 2, noAnswer: 3 } as const

export function notUnderstood(name: keyof typeof usage): number {
  console.error(usageOf(name))
  return EXIT.notUnderstood
}

/** Prints what was done, or why it was refused. */
export function printResponse<T>(result: T | Refusal, say: (done: T) => void): number {
  if (isRefusal(result)) {
    console.error(String(result.extra.message ?? result.refused))
    return EXIT.refused
  }
  say(result as T)
  return EXIT.done
}
