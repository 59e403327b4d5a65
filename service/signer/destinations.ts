import { parseAddress } from '@ergon/tron'
import type { Db } from '../db/index.ts'
import type { Log } from '../kernel/index.ts'
import { dropDestinations, publishDestinations } from '../signing/index.ts'
import { readTrust, SUN_PER_TRX, type Trust } from './trust.ts'

/**
 * Tells the service where the treasury may pay and how much, whenever the file has changed. Only a hint: the
 * signer judges each request by its file. A file that cannot be read leaves what was published.
 */
export function createDestinations({ db, log, folder }: { db: Db; log: Log; folder: string }) {
  let published: string | undefined
  let told = ''

  function readFile(): Trust | undefined {
    try {
      const trust = readTrust(folder)
      told = ''
      return trust
    } catch (error) {
      const reason = (error as Error).message
      if (reason !== told) log.warn('destinations_not_published', { reason })
      told = reason
      return undefined
    }
  }

  return {
    async publish(): Promise<void> {
      const treasury = folder ? readFile()?.treasury : undefined
      const text = treasury && JSON.stringify(treasury)
      if (!treasury || text === published) return
      const addresses = treasury.map(({ address }) => parseAddress(address)!)
      await db.transaction(async (tx) => {
        await tx.query(dropDestinations, [addresses])
        await tx.query(publishDestinations, [
          addresses,
          treasury.map(({ hourlyTrx }) => BigInt(hourlyTrx) * SUN_PER_TRX),
          treasury.map(({ dailyTrx }) => BigInt(dailyTrx) * SUN_PER_TRX),
          treasury.map(({ effectiveFrom }) => new Date(effectiveFrom)),
        ])
      })
      published = text
    },
  }
}
