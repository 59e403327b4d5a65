import type { FastifyInstance } from 'fastify'
import { filesOf, frontPage, missingPage } from '../../web/index.ts'
import type { Guard } from '../http/index.ts'
import type { Clock } from '../kernel/index.ts'
import { mountFront } from '../pages/index.ts'
import type { Rooms } from './rooms.ts'

/** Mounts the front, with the prices of this moment, and the page for addresses that do not exist. */
export function mountFrontPage(
  server: FastifyInstance,
  { chain, pricing }: Rooms,
  { guard, clock }: { guard: Guard; clock: Clock },
) {
  mountFront(server, {
    guard,
    files: filesOf('front'),
    async render(files) {
      const { schedule } = pricing.terms()
      // The page comes also while the node does not answer, without this price.
      const burnPrice = await chain.energyPrice().catch(() => undefined)
      return frontPage({ schedule, hour: clock.now().getUTCHours(), burnPrice }, files)
    },
    renderMissing: missingPage,
  })
}
