import { resolve } from 'node:path'
import { readProcessorTime } from './processorTime.ts'
import { compare, type Figure, medians, samplesTable, sideBySide } from './report.ts'
import { measureRounds, stolenLine, type Variant } from './rounds.ts'
import type { Suite } from './row.ts'
import { openWorld, type World } from './world.ts'

/** The least number of rounds; a suite whose rounds differ much asks for more. */
const ROUNDS = 5

type Comparison = {
  variants(world: World, rows: number): Promise<Variant[]>
  figures(rows: number): Figure[]
  seconds: number
  rounds?: number
  remarks?: string[]
}

/** A suite that measures variants in turns, in one world. */
export function inWorld(comparison: Comparison): Suite {
  const { variants, figures, seconds, rounds = ROUNDS, remarks = [] } = comparison
  return async (asked) => {
    const world = await openWorld()
    try {
      const { rows: versions } = await world.admin.query('show server_version')
      const wanted = figures(asked.rows)
      const all = sideBySide(await variants(world, asked.rows), wanted)
      if (asked.profile) world.profileInto(resolve(asked.profile))
      const database = world.postgres.pid
      const samples = await measureRounds(
        all.filter(({ name }) => name.includes(asked.only)),
        {
          rounds: asked.rounds ?? rounds,
          seconds: asked.seconds ?? seconds,
          readTime: (server) => readProcessorTime({ server, database }),
          tell: asked.tell,
        },
      )
      const known = new Set(all.map(({ name }) => name))
      const measured = [...samples].map(([variant, taken]) => ({
        variant,
        medians: medians(taken),
        rounds: taken,
      }))
      return {
        rows: compare(samples, wanted, known),
        remarks: [...remarks, stolenLine(samples)],
        measured: samplesTable(samples),
        details: { postgres: versions[0].server_version, measured },
      }
    } finally {
      await world.close()
    }
  }
}
