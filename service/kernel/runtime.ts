import { type Clock, type MovableClock, systemClock } from './clock.ts'
import { type Ids, uuidsV7 } from './ids.ts'
import { type Random, systemRandom } from './random.ts'

/** Everything a room may take from the outside world that is neither database nor network. */
export type Runtime = {
  clock: Clock
  random: Random
  ids: Ids
  /** Empty in production. A simulation parks the caller here and decides who goes on. */
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
