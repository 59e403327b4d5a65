/** Timeouts of one length on one timer, for paths that start thousands of them each second. */
export type Deadlines<Wait> = {
  begin(wait: Wait): void
  /** Cancels the timeout. */
  end(wait: Wait): void
}

/** Calls `onLate` for each wait that has not ended `ms` after it began. */
export function createDeadlines<Wait>(ms: number, onLate: (wait: Wait) => void): Deadlines<Wait> {
  // Insertion order is also the order of the deadlines: all waits have the same length.
  const dueMs = new Map<Wait, number>()
  let isArmed = false

  function arm(delayMs: number) {
    isArmed = true
    // Unreferenced: a pending timeout alone must not keep the process alive.
    setTimeout(look, delayMs).unref()
  }

  function look() {
    const now = performance.now()
    isArmed = false
    for (const [wait, due] of dueMs) {
      if (due > now) return arm(due - now)
      dueMs.delete(wait)
      onLate(wait)
    }
  }

  return {
    begin(wait) {
      dueMs.set(wait, performance.now() + ms)
      if (!isArmed) arm(ms)
    },
    end: (wait) => void dueMs.delete(wait),
  }
}
