import type { Log } from '../kernel/index.ts'
import { NothingToOffer } from './provider.ts'

export type Unreadable = {
  failed(provider: string, error: unknown): undefined
  well(provider: string): void
}

/** Logs the trouble of reading an offer when it begins, when it becomes another, and when it is over. */
export function createUnreadable(log: Log): Unreadable {
  const told = new Map<string, string>()
  return {
    failed(provider, error) {
      const reason = (error as Error).message
      if (told.get(provider) === reason) return
      told.set(provider, reason)
      if (error instanceof NothingToOffer) log.warn('nothing_to_offer', { provider, reason })
      else log.warn('offer_unreadable', { provider, error })
    },
    well(provider) {
      if (told.delete(provider)) log.warn('offer_readable', { provider })
    },
  }
}
