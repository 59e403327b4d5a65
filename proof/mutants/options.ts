import { parseArgs } from 'node:util'
import { ROOMS } from './sources.ts'

export const USAGE = `npm run mutants -- --seed 1 --count 300   so many one-token bugs, drawn by the seed
npm run mutants -- --room ledger         of one room
npm run mutants -- --list                what would be planted
npm run mutants -- --only ID             one of them, with its difference and what the tests say
npm run mutants -- --cover               only measure which tests run what
npm run mutants -- --fresh               forget what was tried before; otherwise a run goes on
npm run mutants -- --lanes 1             one at a time instead of two`

export type Options = {
  seed: number
  count: number
  lanes: number
  rooms: string[]
  only: string | undefined
  list: boolean
  cover: boolean
  fresh: boolean
}

/** The options, or a sentence about what is wrong with them. */
export function readOptions(args: string[]): Options | string {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seed: { type: 'string', default: '1' },
        count: { type: 'string', default: '300' },
        lanes: { type: 'string', default: '2' },
        room: { type: 'string' },
        only: { type: 'string' },
        list: { type: 'boolean', default: false },
        cover: { type: 'boolean', default: false },
        fresh: { type: 'boolean', default: false },
      },
    })
    const { room, only, list, cover, fresh } = values
    const [seed, count, lanes] = [values.seed, values.count, values.lanes].map(Number)
    if (!isWhole(seed, 0)) return '--seed takes a whole number'
    if (!isWhole(count, 1)) return '--count takes a whole number above 0'
    if (!isWhole(lanes, 1)) return '--lanes takes a whole number above 0'
    if (room !== undefined && !ROOMS.includes(room)) {
      return `--room "${room}" is not one of ${ROOMS.join(', ')}`
    }
    return { seed, count, lanes, rooms: room ? [room] : ROOMS, only, list, cover, fresh }
  } catch (error) {
    return (error as Error).message
  }
}

function isWhole(value: number | undefined, least: number): value is number {
  return Number.isInteger(value) && value! >= least
}
