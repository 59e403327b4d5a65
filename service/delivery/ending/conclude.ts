import { NodeTrouble } from '@ergon/tron'
import type { Chain } from '../../chain/index.ts'
import { createApart, type Db } from '../../db/index.ts'
import { groupsOf, type Log, type Runtime } from '../../kernel/index.ts'
import type { Providers } from '../../providers/index.ts'
import type { Signing } from '../../signing/index.ts'
import type { Judging } from '../market/judge.ts'
import {
  noteOverdue,
  type OpenAttempt,
  openAttempts,
  overdueRequests,
  passedRequests,
  shortRequests,
} from './conclude.sql.ts'
import type { Ending, Judged, Verdict } from './end.ts'

const BATCH = 500
/** Requests ended in one transaction: a block needs only a few of them, and locks stay short. */
const GROUP = 100
/** How long the end of an order waits for the block that proves it, in elapsed time. */
const UNREAD_MS_MAX = 600_000
const NOTHING_READ = new Date(0)

type Found = Judged<OpenAttempt>

/**
 * Turns evidence into outcomes. Delivered: a block on the chain holds the delegation. Absent: the bytes
 * have provably expired. Everything else waits until the deadline.
 */
export function createConcluding(deps: {
  db: Db
  runtime: Runtime
  log: Log
  chain: Chain
  signing: Signing
  providers: Providers
  ending: Ending
  judging: Judging
}) {
  const { db, runtime, log, chain, signing, providers, ending, judging } = deps
  const apartOf = (kind: string) =>
    createApart({ db, clock: runtime.clock, log }, { loop: 'delivery.conclude', kind })
  const attemptsApart = apartOf('attempt')
  const requestsApart = apartOf('request')
  const overdueApart = apartOf('overdue request')
  const providersApart = apartOf('provider')

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

  async function endGroup(group: readonly Found[]): Promise<Found[]> {
    const end = (some: readonly Found[]) => db.transaction((tx) => ending.end(tx, some))
    return (await attemptsApart.together(group, ({ attempt }) => attempt.id, end)).flat()
  }

  async function concludeOwn(): Promise<number> {
    const attempts = await db.query(openAttempts, [BATCH, attemptsApart.waiting()])
    const found = attempts.length > 0 ? await verdicts(attempts) : new Map<string, Verdict>()
    const judged = attempts.flatMap((attempt) => {
      const verdict = found.get(attempt.id)
      return verdict ? [{ attempt, verdict }] : []
    })
    const outcomes = new Map<string, boolean>()
    let ended = 0
    for (const group of groupsOf(judged, GROUP)) {
      for (const { attempt, verdict } of await endGroup(group)) {
        outcomes.set(attempt.provider, verdict.state === 'delivered')
        ended += 1
      }
    }
    // One report per round is enough: it only ranks providers.
    await providersApart.each(
      [...outcomes],
      ([provider]) => provider,
      ([provider, filled]) => providers.noteOutcome(provider, filled),
    )
    return ended
  }

  /** Undefined when no node answered, so that evidence about marketplaces may be missing. */
  async function judgeMarkets(): Promise<number | undefined> {
    try {
      return await judging.judgeAll()
    } catch (error) {
      if (!(error instanceof NodeTrouble)) throw error
      log.warn('market_not_judged', { reason: error.message })
      return undefined
    }
  }

  async function failOverdue(readTime: Date): Promise<number> {
    const now = runtime.clock.now()
    await overdueApart.bulk(
      () => db.query(noteOverdue, [now, readTime, overdueApart.waiting(), null]),
      () => db.query(passedRequests, [now, readTime]),
      (id) => db.query(noteOverdue, [now, readTime, [], id]),
    )
    const skip = [requestsApart.waiting(), judging.notJudged()]
    const values = [now, readTime, BATCH, UNREAD_MS_MAX, ...skip]
    return endRequests(await db.query(overdueRequests, values), ending.failOverdue)
  }

  /** Returns how many were handled. */
  async function endRequests(
    requests: readonly { id: string }[],
    end: (ids: string[]) => Promise<void>,
  ): Promise<number> {
    let ended = 0
    for (const group of groupsOf(requests, GROUP)) {
      const done = await requestsApart.together(group, idOf, async (some) => {
        await end(some.map(idOf))
        return some.length
      })
      ended += done.reduce((sum, count) => sum + count, 0)
    }
    return ended
  }

  return {
    /** Ends every attempt with evidence, and every request past its deadline. */
    async concludeAll(): Promise<number> {
      // Read first: the evidence below includes all blocks up to this time.
      const readTime = (await chain.progress())?.time ?? NOTHING_READ
      const own = await concludeOwn()
      const market = await judgeMarkets()
      const short = await db.query(shortRequests, [BATCH, requestsApart.waiting()])
      const settled = await endRequests(short, ending.settleShort)
      const overdue = await failOverdue(market === undefined ? NOTHING_READ : readTime)
      return own + (market ?? 0) + settled + overdue
    },
  }
}

const idOf = ({ id }: { id: string }) => id

function isPast(moment: Date, solidTime: Date | undefined): boolean {
  return solidTime !== undefined && solidTime > moment
}
