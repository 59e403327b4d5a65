import { readTrust, writeTrust } from '../../service/signer/index.ts'

/** Treasury destinations in a signer's files, as if they had always been there. */
export function allowTreasury(folder: string, places: readonly string[]): void {
  const effectiveFrom = new Date(0).toISOString()
  const caps = { hourlyTrx: 100_000, dailyTrx: 100_000, effectiveFrom }
  const treasury = places.map((address) => ({ address, ...caps }))
  writeTrust(folder, { ...readTrust(folder), treasury })
}
