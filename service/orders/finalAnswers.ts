import { Verbatim } from '@ergon/contract'

type Known = { account: string; answer: Verbatim }

/** About 10 MB; the oldest make room. */
const ANSWERS_MAX = 10_000

/**
 * Answers to `GET /order/{id}` for orders that are COMPLETED or FAILED, as they were first sent. No
 * row of a final order changes any more, so nothing has to be forgotten.
 */
export function createFinalAnswers() {
  const known = new Map<string, Known>()
  return {
    /** Undefined when it is not known here; it may exist all the same. */
    find: (id: string): Known | undefined => known.get(id),
    remember(id: string, account: string, body: string): Verbatim {
      if (known.size >= ANSWERS_MAX) known.delete(known.keys().next().value!)
      const answer = new Verbatim(body)
      known.set(id, { account, answer })
      return answer
    },
  }
}
