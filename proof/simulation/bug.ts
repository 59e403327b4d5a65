import type { Rates } from './rates.ts'
import type { SceneName } from './scenes.ts'
import type { Sabotage } from './simulation.ts'

/** A mistake that a programmer could make, injected between the service and the database. */
export type Bug = Sabotage & {
  name: string
  /** The wrong assumption behind it. */
  belief: string
  /** The scene that can show it. */
  scene: SceneName
  /** Rates at which it shows soon; the seed draws those not given here. */
  weather?: Partial<Rates>
  /** SQL run first, to drop the database constraints that would stop the bug. */
  prepare: readonly string[]
}
