import type { Clock } from '../kernel/index.ts'
import { isLoopback, networkOf } from './addressLimit.ts'
import { createWindows } from './windows.ts'

const GUESSES_PER_MINUTE = 5

/**
 * Limits guesses per login and client address together: by login alone, a stranger could lock the owner
 * out by wrong guesses.
 */
export function createGuessLimit(deps: { clock: Clock; exemptLoopback: boolean }) {
  const windows = createWindows(deps.clock, GUESSES_PER_MINUTE)
  const nameOf = (login: string, address: string) => `${networkOf(address)} ${login.toLowerCase()}`
  return {
    /** Counts a guess before it is checked; returns the seconds to wait after too many. */
    count(login: string, address: string): number | undefined {
      if (deps.exemptLoopback && isLoopback(address)) return undefined
      return windows.count(nameOf(login, address))
    },
    /** Resets the count after a correct password. */
    forget: (login: string, address: string) => windows.forget(nameOf(login, address)),
  }
}
