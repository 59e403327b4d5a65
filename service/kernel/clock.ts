/**
 * Three clocks, because they answer three questions (docs/decisions/0003-three-clocks.md).
 * Business time decides prices, deadlines and fees, and the sandbox may move it forward. Elapsed
 * time measures waits and is never moved. Wall time is what the outside world's clocks show.
 */
export type Clock = {
  now(): Date
  elapsedMs(): number
  wallMs(): number
}

export type MovableClock = Clock & {
  /** Sets how far business time is ahead of the wall clock. Going back is refused: bills would repeat. */
  setAheadMs(aheadMs: number): void
  aheadMs(): number
}

export function systemClock(): MovableClock {
  let ahead = 0
  return {
    now: () => new Date(Date.now() + ahead),
    elapsedMs: () => performance.now(),
    wallMs: () => Date.now(),
    aheadMs: () => ahead,
    setAheadMs(aheadMs) {
      if (aheadMs > ahead) ahead = aheadMs
    },
  }
}
