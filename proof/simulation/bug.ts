import type { Rates } from './rates.ts'
import type { SceneName } from './scenes.ts'
import type { Sabotage } from './simulation.ts'

/** A mistake that somebody could make in the service, planted between it and the database. */
export type Bug = Sabotage & {
  name: string
  /** What the programmer believed. */
  belief: string
  /** Where it can show. */
  scene: SceneName
  /** In which it shows soon; what is not told here the seed draws, as ever. */
  weather?: Partial<Rates>
  /** Walls of the database that this programmer would not have built. */
  prepare: readonly string[]
}
