const IDLE_MS = 60_000
let touchedAt = performance.now()
for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel']) {
  addEventListener(event, () => (touchedAt = performance.now()), { passive: true })
}

/** Pages ask by themselves every few seconds; while nobody touches them the session does not live on. */
export const idleHeader = (): Record<string, string> =>
  performance.now() - touchedAt > IDLE_MS ? { 'x-idle': '1' } : {}
