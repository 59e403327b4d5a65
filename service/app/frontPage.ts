import type { FastifyInstance } from 'fastify'
import { filesOf, frontPage, missingPage, textPage } from '../../web/index.ts'
import type { Guard } from '../http/index.ts'
import type { Document, Terms } from '../identity/index.ts'
import { type Clock, within } from '../kernel/index.ts'
import { mountFront, type PlainAddresses } from '../pages/index.ts'
import type { Rooms } from './rooms.ts'

/** Longest wait for a node that does not answer. */
const BURN_PRICE_MS = 1_000

/** Mounts the front, with the prices of this moment, and the page for addresses that do not exist. */
export function mountFrontPage(
  server: FastifyInstance,
  { chain, pricing, terms }: Rooms,
  { guard, clock }: { guard: Guard; clock: Clock },
) {
  const documents = terms.texts.map(({ document }) => document)
  mountFront(server, {
    guard,
    files: filesOf('front'),
    async render(files) {
      const { schedule } = pricing.terms()
      // The page comes also while the node does not answer, without this price.
      const asked = chain.energyPrice().catch(() => undefined)
      const burnPrice = await within(BURN_PRICE_MS, asked, undefined)
      return frontPage(
        { schedule, hour: clock.now().getUTCHours(), burnPrice },
        { files, documents },
      )
    },
    others: new Map(documents.map((document) => [`/${document}`, textOf(terms, document)])),
    renderMissing: missingPage,
  })
}

const textOf = (terms: Terms, document: Document) => async (files: PlainAddresses) => {
  const texts = await terms.current()
  const one = texts.find((text) => text.document === document)!
  return textPage(one, { files, documents: texts.map((text) => text.document) })
}
