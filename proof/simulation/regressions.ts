/**
 * The seed that is known to find each planted bug. Another statement or step in the service is
 * another schedule, so a seed may come to miss its bug: then the nearest one that finds it is looked
 * for, told, and to be written down here.
 */
const known: Readonly<Record<string, number>> = {
  'refund-on-timeout': 2,
  'resend-blindly': 2,
  'believe-never-seen': 21,
  'event-outside-the-transaction': 10,
  'cursor-before-effects': 10,
  'lease-trusted-for-safety': 3,
  'settle-without-looking': 17,
  // Found in the service itself, by seed 4 of the first dozen, and mended: a branch won between the
  // reading of the head and the question for the solid block, and what we had read became final.
  'solid-of-another-branch': 6,
  'bill-by-time': 3,
  'day-by-our-clock': 1,
  'top-up-from-memory': 1,
  'decide-without-the-lock': 1,
}

const SEARCHED = 40

/** The known seed first, then those that are tried in its place. */
export function seedsFor(bug: string): number[] {
  const first = known[bug]
  const others = Array.from({ length: SEARCHED }, (_, index) => index + 1)
  return first === undefined ? others : [first, ...others.filter((seed) => seed !== first)]
}
