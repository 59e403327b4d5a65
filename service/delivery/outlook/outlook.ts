import type { Db } from '../../db/index.ts'
import type { Clock } from '../../kernel/index.ts'
import {
  type PulseRow,
  type ReturningRow,
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

export type Outlook = {
  /** What is under way, and what of it is in danger. */
  pulse(): Promise<PulseRow>
  /** Own stake that comes back within a day, by the hour from now. */
  returning(): Promise<ReturningRow[]>
  /** Who was asked for a request, why, and what came of it. */
  storyOf(request: string): Promise<(StoryRow & { steps: StepRow[] }) | undefined>
}

/** What operators want to know of deliveries. Nothing here changes anything. */
export function createOutlook({ db, clock }: { db: Db; clock: Clock }): Outlook {
  const later = (ms: number) => new Date(clock.now().getTime() + ms)
  return {
    pulse: async () => (await db.query(readPulse, [later(NEAR_MS)]))[0]!,
    returning: () => db.query(readReturning, [clock.now(), later(DAY_MS)]),
    async storyOf(request) {
      const [story] = await db.query(readStory, [request])
      return story && { ...story, steps: await db.query(readSteps, [request]) }
    },
  }
}
