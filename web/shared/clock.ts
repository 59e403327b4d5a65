// The server's time, for everything that a page shows. Answers carry it: the sandbox's clock can be
// moved at any moment, also by somebody else.

/** How far the server's clock is ahead of the browser's; undefined before the first answer. */
let aheadMs: number | undefined
const followers = new Set<() => void>()
/** Clocks of machines differ and answers take time; a smaller difference is not a move. */
const SLACK_MS = 1_000

/** Reads the time of an answer. It was made between the two moments of the browser's clock. */
export function readServerTime(iso: string | null, sentMs: number, arrivedMs: number): void {
  const serverMs = Date.parse(iso ?? '')
  if (Number.isNaN(serverMs)) return
  const leastMs = serverMs - arrivedMs - SLACK_MS
  const mostMs = serverMs - sentMs + SLACK_MS
  if (aheadMs !== undefined && aheadMs >= leastMs && aheadMs <= mostMs) return
  const isFirst = aheadMs === undefined
  aheadMs = serverMs - arrivedMs
  if (!isFirst) for (const follow of followers) follow()
}

/** Throws before the first answer, so that nothing can be painted with the browser's time. */
export function serverNow(): number {
  if (aheadMs === undefined) throw new Error('The time of the server is not known yet.')
  return Date.now() + aheadMs
}

/** Calls when the server's clock was moved; returns a function that ends it. */
export function whenClockMoves(follow: () => void): () => void {
  followers.add(follow)
  return () => followers.delete(follow)
}
