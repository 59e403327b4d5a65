import { addressDeriver, toBase58 } from '@ergon/tron'
import { openDb } from '../db/index.ts'
import { CannotStart, within } from '../kernel/index.ts'
import { createSigning } from '../signing/index.ts'
import type { AppOptions } from './options.ts'

const LOOK_MS = 1_000
const NEVER = new Promise<undefined>(() => {})
const WAITING =
  'Waiting for the signer: it has not published its keys in this database yet. Start it; this process goes on by itself.'

/**
 * Waits until a signer has published its keys, and refuses a DEPOSIT_XPUB of other keys: nobody could
 * sweep what clients send to its addresses.
 */
export async function awaitSameKeys(
  options: Pick<AppOptions, 'databaseUrls' | 'depositXpub' | 'runtime' | 'log'>,
  { isStopping, say }: { isStopping(): boolean; say(text: string): void },
): Promise<void> {
  const { databaseUrls: urls, depositXpub, runtime, log } = options
  const ours = addressDeriver(depositXpub)(0)
  const db = await openDb({ urls, connections: 1, runtime, log, name: 'ergon-start' })
  try {
    const signing = createSigning({ db, runtime, wake() {} })
    let signers = await signing.depositRoot()
    if (!signers) say(WAITING)
    while (!signers) {
      if (isStopping()) throw new CannotStart('Stopped while starting.')
      await within(LOOK_MS, NEVER, undefined)
      signers = await signing.depositRoot()
    }
    if (signers === ours) return
    throw new CannotStart(
      `DEPOSIT_XPUB is not the signer's: its first address is ${toBase58(ours)}, the signer's is ${toBase58(signers)}. Set it to what npx ergon keys show prints for the signer's key file.`,
    )
  } finally {
    await db.close()
  }
}
