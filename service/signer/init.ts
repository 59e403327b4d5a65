import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createPayoutLog } from './payoutLog.ts'
import { createTrust } from './trust.ts'

/**
 * The signer's own files, new. The first keys count at once: there is nobody yet who could object.
 * A log of payouts that is there already is kept, for a signer that has lost only its trust.
 */
export function createSignerFiles(
  folder: string,
  of: { chain: string; hot: string; keys: { operator: string; key: string }[]; now: number },
): void {
  const { chain, hot, keys, now } = of
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!existsSync(join(folder, 'payouts.jsonl'))) createPayoutLog(folder, { chain, hot })
  const effectiveFrom = new Date(now).toISOString()
  createTrust(folder, {
    version: 1,
    chain,
    hot,
    changes: 0,
    keys: keys.map(({ operator, key }) => ({ operator, key, effectiveFrom })),
    destinations: [],
    treasury: [],
  })
}
