/**
 * Three clocks, because they answer three questions (docs/decisions/0003-three-clocks.md).
 * Business time decides prices, deadlines and fees, and the sandbox may move it forward. Elapsed
 * time measures timeouts and is never moved. Wall time is the real time of day.
 */
export type Clock = {
  now(): Date
  elapsedMs(): number
  wallMs(): number
}

export type MovableClock = Clock & {
  /** Sets the offset of business time from the wall clock. Going back is refused: bills would repeat. */
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
