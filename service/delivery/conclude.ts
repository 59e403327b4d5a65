import type { Chain } from '../chain/index.ts'
import type { Db } from '../db/index.ts'
import type { Doors } from '../kernel/index.ts'
import type { Providers } from '../providers/index.ts'
import type { Signing } from '../signing/index.ts'
import type { Ending, Verdict } from './end.ts'
import type { Judging } from './market/judge.ts'
import { type OpenAttempt, openAttempts, overdueRequests, shortRequests } from './store.ts'

const BATCH = 500

/**
 * Turns evidence into outcomes. Delivered means a block on the chain holds the delegation; absent
 * means the bytes are provably dead; everything else is waited for until the deadline.
 */
export function createConcluding(deps: {
  db: Db
  doors: Doors
  chain: Chain
  signing: Signing
  providers: Providers
  ending: Ending
  judging: Judging
}) {
  const { db, doors, chain, signing, providers, ending, judging } = deps

  async function verdicts(attempts: OpenAttempt[]): Promise<Map<string, Verdict>> {
    const unseen = attempts.filter((attempt) => !attempt.seen)
    const [answers, states, progress] = await Promise.all([
      signing.answers(unseen.map((attempt) => attempt.signingRequest)),
      chain.broadcasts.states(unseen.map((attempt) => attempt.txid)),
      chain.progress(),
    ])
    const refused = new Map(
      answers.flatMap((a) => (a.state === 'refused' ? [[a.id, a.reason]] : [])),
    )
    const sent = new Map(states.map((state) => [state.txid, state.state]))
    const found = new Map<string, Verdict>()
    for (const attempt of attempts) {
      const { id, seen, signingRequest, txid, expiresAt, energy, wanted } = attempt
      if (seen) {
        const state = energy < wanted ? 'partial' : 'delivered'
        const reason = energy < wanted ? `${energy} of ${wanted} Energy` : null
        found.set(id, { state, reason, delegated: energy })
      } else if (refused.has(signingRequest)) {
        const reason = refused.get(signingRequest) ?? null
        found.set(id, { state: 'refused', reason, delegated: 0n })
      } else if (
        sent.get(txid) === 'expired' ||
        (!sent.has(txid) && isPast(expiresAt, progress?.solidTime))
      ) {
        const reason = 'expired before a block held it'
        found.set(id, { state: 'absent', reason, delegated: 0n })
      }
    }
    return found
  }

  async function concludeOwn(): Promise<number> {
    const attempts = await db.query(openAttempts, [BATCH])
    const found = attempts.length > 0 ? await verdicts(attempts) : new Map<string, Verdict>()
    const outcomes = new Map<string, boolean>()
    for (const attempt of attempts) {
      const verdict = found.get(attempt.id)
      if (!verdict) continue
      const ended = await db.transaction((tx) => ending.end(tx, attempt, verdict))
      if (ended) outcomes.set(attempt.provider, verdict.state === 'delivered')
    }
    // One word a round is enough: it ranks providers, and no money hangs on it.
    for (const [provider, filled] of outcomes) await providers.noteOutcome(provider, filled)
    return found.size
  }

  return {
    /** Ends every attempt there is evidence about, and every request past its deadline. */
    async concludeAll(): Promise<number> {
      const own = await concludeOwn()
      const market = await judging.judgeAll()
      const short = await db.query(shortRequests, [BATCH])
      for (const { id } of short) await ending.settleShort(id)
      const overdue = await db.query(overdueRequests, [doors.clock.now(), BATCH])
      for (const { id } of overdue) await ending.failOverdue(id)
      return own + market + short.length + overdue.length
    },
  }
}

function isPast(moment: Date, solidTime: Date | undefined): boolean {
  return solidTime !== undefined && solidTime > moment
}
