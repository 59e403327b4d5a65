import { type Lease, takeLease } from '../db/index.ts'
import { CannotStart } from '../kernel/index.ts'
import { LEASE_KEY } from '../signing/index.ts'

/** Longer than a server needs to notice that a process was killed. */
const WAIT_MS = 5_000

export class LeaseTaken extends CannotStart {
  override name = 'LeaseTaken'
}

/** One signer at a time: two would each count only their own signatures towards the limits. */
export async function holdLease(urls: readonly string[], name: string): Promise<Lease> {
  const lease = await takeLease({
    urls,
    name,
    key: LEASE_KEY,
    waitMs: WAIT_MS,
  })
  if (lease) return lease
  throw new LeaseTaken(
    'Another signer holds the lease of this database. Only one signs at a time: stop it first.',
  )
}
