import { type Clock, type MovableClock, systemClock } from './clock.ts'
import { type Ids, uuidsV7 } from './ids.ts'
import { type Random, systemRandom } from './random.ts'

/** Clock, randomness and ids: the outside world of a room besides database and network. */
export type Runtime = {
  clock: Clock
  random: Random
  ids: Ids
  /** Does nothing in production. A simulation suspends the caller here and picks the next one. */
  step(label: string): Promise<void>
}

export function systemRuntime(
  clock: MovableClock = systemClock(),
): Runtime & { clock: MovableClock } {
  return {
    clock,
    random: systemRandom,
    ids: uuidsV7(clock, systemRandom),
    step: async () => {},
  }
}
