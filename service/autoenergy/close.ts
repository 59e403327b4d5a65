import { type Refusal, refuse } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import type { Standing } from '../delivery/index.ts'
import type { Runtime } from '../kernel/index.ts'
import { deleteSubscriptionRow } from './close.sql.ts'
import { addressBusy } from './gate.ts'
import type { createSettling } from './settle.ts'
import { findSubscription, lockSubscription } from './store.ts'
import type { Asker } from './subscribe.ts'
import type { Subscription } from './subscription.ts'

const NOT_FOUND = refuse('autoenergy_not_found', {
  message: 'No such subscription. GET /autoenergy/subscriptions lists them.',
})

type Deps = {
  db: Db
  runtime: Runtime
  standing: () => Standing
  settling: ReturnType<typeof createSettling>
}

/** Close by hand, and delete. */
export function createClosing({ db, runtime, standing, settling }: Deps) {
  return {
    /** Settles everything due first. Closing a closed subscription changes nothing. */
    async close({ account, trace }: Asker, address: string): Promise<Subscription | Refusal> {
      const [sub] = await db.query(findSubscription, [account, address])
      if (!sub) return NOT_FOUND
      const seen = await settling.outlook()
      if (!seen) return addressBusy()
      const book = await db.transaction((tx) =>
        settling.settleIn(tx, {
          id: sub.id,
          seen,
          after(open) {
            if (open.sub.status === 'active') open.close('manual', runtime.clock.now(), trace)
          },
        }),
      )
      if (!book) return NOT_FOUND
      if (book.sub.status === 'pending_activation') return addressBusy({ status: book.sub.status })
      standing().wake()
      return book.sub
    },

    /** Hides it from the lists. The row stays until its Energy is reclaimed, and owed calls stay owed. */
    async remove({ account }: Asker, address: string): Promise<Refusal | undefined> {
      const [sub] = await db.query(findSubscription, [account, address])
      if (!sub) return NOT_FOUND
      return db.transaction(async (tx) => {
        const [locked] = await tx.query(lockSubscription, [sub.id])
        if (!locked || locked.deletedAt) return NOT_FOUND
        if (locked.status !== 'closed') {
          return refuse('not_deletable', {
            message: 'Only a closed subscription can be deleted. Close it first.',
            status: locked.status,
          })
        }
        await tx.query(deleteSubscriptionRow, [sub.id, runtime.clock.now()])
        return undefined
      })
    },
  }
}
