import type { Db } from '../../db/index.ts'
import type { Clock } from '../../kernel/index.ts'
import {
  type BoughtRow,
  type BurnedRow,
  findRequest,
  type PulseRow,
  type ReturningRow,
  readBought,
  readBurned,
  readPulse,
  readReturning,
  readSteps,
  readStory,
  type StepRow,
  type StoryRow,
} from './store.ts'

/** An open request with less time left than this is near its deadline. */
const NEAR_MS = 30_000
const DAY_MS = 86_400_000
/** The hours of a scorecard are kept for 31 days. */
const BOUGHT_DAYS = 30

export type Outlook = {
  /** Open requests, and those near their deadline. */
  pulse(): Promise<PulseRow>
  /** Own stake that is reclaimed within a day, by the hour from now. */
  returning(): Promise<ReturningRow[]>
  /** What our delegations and reclaims in the blocks after this one burned for lack of Bandwidth. */
  burnedAfter(block: number): Promise<BurnedRow>
  /** Energy bought from marketplaces in the last 30 days, by day. */
  bought(): Promise<BoughtRow[]>
  /** The request that a transaction of the chain belongs to. */
  requestOf(txid: string): Promise<string | undefined>
  /** The providers tried for a request, the reasons and the outcomes. */
  storyOf(request: string): Promise<(StoryRow & { steps: StepRow[] }) | undefined>
}

/** Read-only queries about deliveries, for operators. */
export function createOutlook({ db, clock }: { db: Db; clock: Clock }): Outlook {
  const later = (ms: number) => new Date(clock.now().getTime() + ms)
  return {
    pulse: async () => (await db.query(readPulse, [later(NEAR_MS)]))[0]!,
    returning: () => db.query(readReturning, [clock.now(), later(DAY_MS)]),
    burnedAfter: async (block) => (await db.query(readBurned, [block]))[0]!,
    bought: () => db.query(readBought, [later(-BOUGHT_DAYS * DAY_MS)]),
    requestOf: async (txid) => (await db.query(findRequest, [txid]))[0]?.request,
    async storyOf(request) {
      const [story] = await db.query(readStory, [request])
      return story && { ...story, steps: await db.query(readSteps, [request]) }
    },
  }
}
