import { createHash } from 'node:crypto'
import { KINDS, type Place } from './place.ts'

/**
 * A sample spread evenly over rooms and kinds: the rooms take turns, and the kinds within each
 * room. The same seed gives the same sample, a longer one begins with a shorter one, and a change of
 * some lines leaves the rest of it as it was, so that what was tried before still counts.
 */
export function draw(places: readonly Place[], seed: number, count: number): Place[] {
  const inOrder = places
    .map((place) => ({ place, rank: rankOf(place, seed) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ place }) => place)
  const rooms = [...new Set(places.map(({ room }) => room))].sort()
  const queues = rooms.map((room) => queueOf(inOrder.filter((place) => place.room === room)))
  const drawn: Place[] = []
  while (drawn.length < count && queues.some((queue) => queue.length > 0)) {
    for (const queue of queues) {
      const next = queue.shift()
      if (next && drawn.length < count) drawn.push(next)
    }
  }
  return drawn
}

function queueOf(ofRoom: Place[]): Place[] {
  const piles = KINDS.map((kind) => ofRoom.filter((place) => place.kind === kind))
  const longest = Math.max(0, ...piles.map((pile) => pile.length))
  const turns = Array.from({ length: longest }, (_, turn) => piles.map((pile) => pile[turn]))
  return turns.flat().filter((place) => place !== undefined)
}

function rankOf({ id }: Place, seed: number): string {
  return createHash('sha256').update(`${seed} ${id}`).digest('hex')
}
