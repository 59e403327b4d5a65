const IDLE_MS = 60_000
let touchedAt = performance.now()
for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel']) {
  addEventListener(event, () => (touchedAt = performance.now()), { passive: true })
}

/** Marks automatic polls while nobody uses the page, so that they do not extend the session. */
export const idleHeader = (): Record<string, string> =>
  performance.now() - touchedAt > IDLE_MS ? { 'x-idle': '1' } : {}
