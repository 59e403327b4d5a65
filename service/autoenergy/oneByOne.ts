import { type Refusal, refuse } from '@ergon/contract'
import type { Clock } from '../kernel/index.ts'

/** Below the 30 s that our SDK waits for an answer; a node that hangs costs 3 s for each address. */
const BATCH_MS_MAX = 20_000

/**
 * The answers are those of single calls in this order, so a balance that is too small covers the first ones. Items
 * that are not begun in time are refused, because a client that has given up would not learn what was charged.
 */
export async function oneByOne<Item, Answer>(
  clock: Pick<Clock, 'elapsedMs'>,
  items: readonly Item[],
  work: (item: Item) => Promise<Answer | Refusal>,
): Promise<(Answer | Refusal)[]> {
  const endsMs = clock.elapsedMs() + BATCH_MS_MAX
  const answers: (Answer | Refusal)[] = []
  for (const item of items) {
    answers.push(clock.elapsedMs() < endsMs ? await work(item) : notReached())
  }
  return answers
}

function notReached(): Refusal {
  const message =
    'The addresses before this one took too long. Nothing was charged for it. Send it again.'
  return refuse('fulfiller_unavailable', { message })
}
