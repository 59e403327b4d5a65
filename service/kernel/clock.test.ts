import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'

test('business time moves forward only; elapsed and wall time are never moved', () => {
  const clock = systemClock()
  const [wall, elapsed] = [clock.wallMs(), clock.elapsedMs()]
  clock.setAheadMs(3_600_000)
  expect(clock.now().getTime() - wall).toBeGreaterThanOrEqual(3_600_000)
  expect(clock.wallMs() - wall).toBeLessThan(60_000)
  expect(clock.elapsedMs() - elapsed).toBeLessThan(60_000)
  clock.setAheadMs(0)
  expect(clock.aheadMs()).toBe(3_600_000)
})
