import { seeded } from '../testing/seeded.ts'
import { KINDS, type Place } from './place.ts'

/**
 * A sample spread evenly over rooms and kinds: the rooms take turns, and the kinds within each
 * room. The same seed and sources give the same sample, and a longer one begins with a shorter one.
 */
export function draw(places: readonly Place[], seed: number, count: number): Place[] {
  const chance = seeded(seed)
  const rooms = [...new Set(places.map(({ room }) => room))].sort()
  const queues = rooms.map((room) => queueOf(places.filter((place) => place.room === room)))
  const drawn: Place[] = []
  while (drawn.length < count && queues.some((queue) => queue.length > 0)) {
    for (const queue of queues) {
      const next = queue.shift()
      if (next && drawn.length < count) drawn.push(next)
    }
  }
  return drawn

  function queueOf(ofRoom: Place[]): Place[] {
    const piles = KINDS.map((kind) => shuffled(ofRoom.filter((place) => place.kind === kind)))
    const longest = Math.max(0, ...piles.map((pile) => pile.length))
    const turns = Array.from({ length: longest }, (_, turn) => piles.map((pile) => pile[turn]))
    return turns.flat().filter((place) => place !== undefined)
  }

  function shuffled(pile: Place[]): Place[] {
    for (let last = pile.length - 1; last > 0; last -= 1) {
      const other = chance.below(last + 1)
      ;[pile[last], pile[other]] = [pile[other]!, pile[last]!]
    }
    return pile
  }
}
