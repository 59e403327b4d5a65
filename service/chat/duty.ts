import type { Db } from '../db/index.ts'
import { createLoop, type Doors, type Log, type Loop } from '../kernel/index.ts'
import { claimDuty, releaseDuty } from './store.ts'

/** Which apps this process speaks for. Another takes over when we have not renewed for ten seconds. */
export type Duty = {
  owner(): string
  isOurs(app: string): boolean
  loop: Loop
}

const LEASE_MS = 10_000
const RENEW_MS = 2_000

export function createDuty(deps: {
  db: Db
  doors: Doors
  log: Log
  apps: readonly string[]
  onTaken(): void
}): Duty {
  const { db, doors, log, apps } = deps
  const { clock } = doors
  const renewedMs = new Map<string, number>()
  let name: string | undefined
  const owner = () => {
    name ??= doors.ids.next()
    return name
  }
  /** Past half of the lease without a renewal somebody else may be about to take it. */
  const isOurs = (app: string) =>
    clock.elapsedMs() - (renewedMs.get(app) ?? Number.NEGATIVE_INFINITY) < LEASE_MS / 2

  async function renew(): Promise<number> {
    for (const app of apps) {
      const at = clock.elapsedMs()
      const had = isOurs(app)
      const [ours] = await db.query(claimDuty, [app, owner(), LEASE_MS / 1_000])
      if (ours) renewedMs.set(app, at)
      else renewedMs.delete(app)
      if (ours && !had) deps.onTaken()
    }
    return 0
  }

  const loop = createLoop({ name: 'chat.duty', everyMs: RENEW_MS, log, work: renew })
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
          await db.query(releaseDuty, [app, owner()]).catch((error) => {
            log.warn('chat_duty_not_released', { error })
          })
        }
      },
    },
  }
}
