import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createPayoutLog } from './payoutLog.ts'
import { createTrust } from './trust.ts'

/**
 * Creates the signer's files. The first keys are valid at once. An existing log of payouts is kept, for
 * a signer that has lost only its trust file. Unless it is the first of this hot wallet, a new log has
 * forgotten what was signed: it counts as rebuilt.
 */
export function createSignerFiles(
  folder: string,
  of: {
    chain: string
    hot: string
    keys: { operator: string; key: string }[]
    now: number
    isFirst: boolean
  },
): void {
  const { chain, hot, keys, now, isFirst } = of
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!existsSync(join(folder, 'payouts.jsonl'))) {
    const forgotten = { signed: [], cancelled: [], rebuiltAt: now }
    createPayoutLog(folder, { chain, hot }, isFirst ? undefined : forgotten)
  }
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
