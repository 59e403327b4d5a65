import type { Db } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import { claimLease, releaseLease } from './lease.sql.ts'

/** Leases of the apps that this process serves. Another process takes over fifteen seconds after the last renewal. */
export type Lease = {
  owner(): string
  isOurs(app: string): boolean
  loop: Loop
}

const LEASE_MS = 15_000
const RENEW_MS = 5_000

export function createLease(deps: {
  db: Db
  runtime: Runtime
  log: Log
  apps: readonly string[]
  onTaken(): void
}): Lease {
  const { db, runtime, log, apps } = deps
  const { clock } = runtime
  const renewedMs = new Map<string, number>()
  let name: string | undefined
  const owner = () => {
    name ??= runtime.ids.next()
    return name
  }
  /** False after half of the lease without a renewal: another process may take it soon. */
  const isOurs = (app: string) =>
    clock.elapsedMs() - (renewedMs.get(app) ?? Number.NEGATIVE_INFINITY) < LEASE_MS / 2

  async function renew(): Promise<number> {
    for (const app of apps) {
      const at = clock.elapsedMs()
      const had = isOurs(app)
      const [ours] = await db.query(claimLease, [app, owner(), LEASE_MS / 1_000])
      if (ours) renewedMs.set(app, at)
      else renewedMs.delete(app)
      if (ours && !had) deps.onTaken()
    }
    return 0
  }

  const loop = createLoop({ name: 'chat.lease', everyMs: RENEW_MS, log, work: renew })
  return {
    owner,
    isOurs,
    loop: {
      ...loop,
      async stop() {
        await loop.stop()
        const ours = [...renewedMs.keys()]
        renewedMs.clear()
        for (const app of ours) {
          await db.query(releaseLease, [app, owner()]).catch((error) => {
            log.warn('chat_lease_not_released', { error })
          })
        }
      },
    },
  }
}
