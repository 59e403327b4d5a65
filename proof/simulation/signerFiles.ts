import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toBase58 } from '@ergon/tron'
import { SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { createSignerFiles, readTrust, writeTrust } from '../../service/signer/index.ts'
import type { Simulation } from './simulation.ts'

const CAPS = { hourlyTrx: 1_000_000, dailyTrx: 1_000_000, effectiveFrom: new Date(0).toISOString() }
let made: string | undefined

/** The signer's files of the scene with floats: the same in every run, and nothing writes to them. */
export function signerFilesOf({ world: { chain }, markets }: Simulation): string {
  if (made) return made
  const folder = mkdtempSync(join(tmpdir(), 'ergon-signer-'))
  const chainId = chain.block(0)!.id
  createSignerFiles(folder, {
    chain: chainId,
    hot: SANDBOX_HOT_ADDRESS,
    keys: [],
    now: 0,
    isFirst: true,
  })
  const cold = chain.network.funded[6]!.address
  const treasury = [cold, ...markets!.owners()].map((one) => ({ address: toBase58(one), ...CAPS }))
  writeTrust(folder, { ...readTrust(folder), treasury })
  made = folder
  return folder
}
