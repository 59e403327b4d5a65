/**
 * The seed that finds each injected bug soon. A new statement or step in the service changes the
 * schedule, so a seed may miss its bug later: the test then says so, `npm run sim -- --bugs` finds
 * the nearest seed that works, and it is written here.
 */
const known: Readonly<Record<string, number>> = {
  'refund-on-timeout': 1,
  'judge-before-reading': 30,
  'resend-blindly': 3,
  'believe-never-seen': 12,
  'event-outside-the-transaction': 6,
  'cursor-before-effects': 1,
  'lease-trusted-for-safety': 12,
  'settle-without-looking': 1,
  // A real bug, found by seed 4 of the first dozen and fixed: a reorganisation between the reads of
  // the head and of the solid block made the wrong branch final.
  'solid-of-another-branch': 22,
  'bought-anew': 3,
  'bill-by-time': 22,
  'day-by-our-clock': 11,
  'top-up-from-memory': 21,
  'fill-up-for-others': 15,
  'forgotten-at-the-next-activation': 10,
  'decide-without-the-lock': 4,
  'each-account-for-itself': 1,
  'room-of-orphaned-credit': 2,
  'judge-by-the-block-alone': 2,
  'resend-to-a-marketplace': 1,
  'believe-not-found': 4,
  'silence-is-a-refusal': 1,
  'book-what-was-planned': 1,
  'ask-anew-while-it-is-silent': 1,
  'stop-what-is-with-the-signer': 1,
  'top-up-asked-for-again': 5,
  'arrived-once-solid': 5,
  'quote-redeemed-twice': 1,
  'batch-keeps-what-it-bought': 1,
  'key-of-its-batch-alone': 1,
  'skipped-payment-sold-twice': 1,
  'reclaim-credited-at-the-head': 1,
  'reclaim-credited-for-the-hour': 1,
  'reclaim-credited-at-each-look': 1,
  'commission-paid-twice': 1,
  'commission-of-the-price-of-now': 1,
  'credited-by-each-branch': 1,
  'day-of-one-round': 2,
  'month-of-one-round': 3,
  'paused-in-name-only': 2,
}

const SEARCHED = 40

/** The known seed first, then the seeds to try instead. */
export function seedsFor(bug: string): number[] {
  const first = known[bug]
  const others = Array.from({ length: SEARCHED }, (_, index) => index + 1)
  return first === undefined ? others : [first, ...others.filter((seed) => seed !== first)]
}
