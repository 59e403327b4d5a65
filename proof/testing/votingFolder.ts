import type { Devnet } from '@ergon/devnet'
import { readTrust, writeTrust } from '../../service/signer/trust.ts'
import { signerFolder } from './world.ts'

/** The files of a signer that votes for these witnesses, as if it had always done so. */
export function votingFolder(devnet: Devnet, witnesses: readonly string[]): string {
  const folder = signerFolder(devnet)
  const effectiveFrom = new Date(0).toISOString()
  const known = witnesses.map((address) => ({ address, effectiveFrom }))
  writeTrust(folder, { ...readTrust(folder), witnesses: known })
  return folder
}
