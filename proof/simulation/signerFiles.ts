import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { SANDBOX_OPERATORS } from '../../service/app/sandboxOperators.ts'
import { createSignerFiles, readTrust, writeTrust } from '../../service/signer/index.ts'
import type { Simulation } from './simulation.ts'

const folders = new WeakMap<Simulation, string>()

type Listed = Partial<Pick<ReturnType<typeof readTrust>, 'treasury' | 'witnesses'>>

/** The signer's own files of one run, which outlive its crashes. */
export function signerFilesOf(sim: Simulation, listed: Listed): string {
  const known = folders.get(sim)
  if (known) return known
  const folder = mkdtempSync(join(tmpdir(), 'ergon-sim-signer-'))
  folders.set(sim, folder)
  createSignerFiles(folder, {
    chain: sim.world.chain.block(0)!.id,
    hot: SANDBOX_HOT_ADDRESS,
    keys: SANDBOX_OPERATORS.map(({ email, key }) => ({ operator: email, key })),
    now: 0,
    isFirst: true,
  })
  writeTrust(folder, { ...readTrust(folder), ...listed })
  return folder
}

export function forgetSignerFiles(sim: Simulation): void {
  const folder = folders.get(sim)
  if (folder) rmSync(folder, { recursive: true, force: true })
}
