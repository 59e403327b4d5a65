/** Waits of one length, all on one timer: where thousands begin and end each second, a timer for each shows. */
export type Deadlines<Wait> = {
  begin(wait: Wait): void
  /** It is no longer waited for. */
  end(wait: Wait): void
}

/** `onLate` is told of each wait that has not ended `ms` after it began. */
export function createDeadlines<Wait>(ms: number, onLate: (wait: Wait) => void): Deadlines<Wait> {
  // In the order in which they began, which is the order in which they end: they are of one length.
  const dueMs = new Map<Wait, number>()
  let isArmed = false

  function arm(delayMs: number) {
    isArmed = true
    // Whatever is waited for keeps the process alive, or nobody waits.
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
