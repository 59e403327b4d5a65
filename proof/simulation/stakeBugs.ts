import type { Bug } from './bug.ts'
import type { Rates } from './rates.ts'
import { rewriting } from './rewriting.ts'

const BUSY: Partial<Rates> = { crash: 0, breakage: 0, moody: 0, lag: 0, jump: 0.002 }

const askAnew: Bug = {
  name: 'ask-anew-while-it-is-silent',
  belief: 'What is approved and not done is asked for again, until it is done.',
  scene: 'staking',
  weather: { ...BUSY, slowBroadcast: 0.5 },
  prepare: [],
  intercept: () =>
    rewriting(
      ['staking.dueOperations', 'staking.lockDue'].map((statement) => ({
        statement,
        from: 'txid is null and (try_after is null or try_after <= $1)',
        to: `$1::timestamptz is not null`,
      })),
    ),
}

const stopAtOnce: Bug = {
  name: 'stop-what-is-with-the-signer',
  belief: 'Nobody has signed it yet, so it ends at once.',
  scene: 'staking',
  weather: { ...BUSY, reorganisation: 0 },
  prepare: ['alter table staking.operation drop constraint ended_has_no_bytes'],
  intercept: () =>
    rewriting([
      {
        statement: 'staking.beginCancelling',
        from: `set state = 'cancelling', cancelled_by = $2, cancelled_at = $3`,
        to: `set state = 'cancelled', cancelled_by = $2, cancelled_at = $3, ended_at = $3`,
      },
    ]),
}

/** Mistakes in what is done with stakes. */
export const stakeBugs: readonly Bug[] = [askAnew, stopAtOnce]
