import type { FastifyInstance } from 'fastify'
import { filesOf, languageOf, missingPayPage, payPage } from '../../web/index.ts'
import type { Guard } from '../http/index.ts'
import type { Clock } from '../kernel/index.ts'
import { drawQr, mountPayPage } from '../pages/index.ts'
import type { Rooms } from './rooms.ts'

export function mountPay(
  server: FastifyInstance,
  { agent, publicStatus }: Rooms,
  { guard, clock }: { guard: Guard; clock: Clock },
) {
  mountPayPage(server, {
    guard,
    files: filesOf('pay'),
    async render({ publicId, lang, acceptLanguage }, files) {
      const language = languageOf(lang, acceptLanguage)
      const offer = await agent.reads.findOffer(publicId)
      if (!offer) return { status: 404, html: missingPayPage(language, files) }
      const qr = drawQr(offer.address)
      const notices = await publicStatus.shownAt('pay')
      const page = payPage({ offer, notices, language, files, qr, now: clock.now() })
      return { status: 200, html: page }
    },
  })
}
