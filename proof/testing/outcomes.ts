/** The results of an order with a single provider, and the seconds that have to pass first. */
export const outcomes = [
  ['ok', 'COMPLETED', 0],
  ['timeout_after_accept', 'COMPLETED', 0],
  ['fail', 'FAILED', 0],
  ['partial', 'FAILED', 0],
  ['timeout_before_accept', 'FAILED', 125],
  ['lost_delegation', 'FAILED', 125],
  ['late', 'FAILED', 125],
] as const
