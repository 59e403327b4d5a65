import type { FastifyInstance } from 'fastify'
import { filesOf, frontPage, missingPage } from '../../web/index.ts'
import type { Guard } from '../http/index.ts'
import { type Clock, within } from '../kernel/index.ts'
import { mountFront } from '../pages/index.ts'
import type { Rooms } from './rooms.ts'

/** Longest wait for a node that does not answer. */
const BURN_PRICE_MS = 1_000

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
      const asked = chain.energyPrice().catch(() => undefined)
      const burnPrice = await within(BURN_PRICE_MS, asked, undefined)
      return frontPage({ schedule, hour: clock.now().getUTCHours(), burnPrice }, files)
    },
    renderMissing: missingPage,
  })
}
