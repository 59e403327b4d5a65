import type { Clock } from '../kernel/index.ts'
import { isLoopback, networkOf } from './addressLimit.ts'
import { createWindows } from './windows.ts'

const GUESSES_PER_MINUTE = 5

/**
 * Guesses at one login from one client address. Both together: counted by login alone, anybody could
 * keep its owner out by guessing wrong.
 */
export function createGuessLimit(deps: { clock: Clock; exemptLoopback: boolean }) {
  const windows = createWindows(deps.clock, GUESSES_PER_MINUTE)
  const nameOf = (login: string, address: string) => `${networkOf(address)} ${login.toLowerCase()}`
  return {
    /** Counts one, before it is known whether it is right; seconds to wait when there were too many. */
    count(login: string, address: string): number | undefined {
      if (deps.exemptLoopback && isLoopback(address)) return undefined
      return windows.count(nameOf(login, address))
    },
    /** It was right: mistakes before it count no more. */
    forget: (login: string, address: string) => windows.forget(nameOf(login, address)),
  }
}
