import type { FastifyInstance } from 'fastify'
import type { Guard } from '../http/index.ts'
import { pageHeaders, sendHtml } from './assets.ts'
import { mountBundle, type PlainAddresses, type PlainFiles } from './bundle.ts'

type Visit = { publicId: string; lang: unknown; acceptLanguage: string | undefined }

const HEADERS = { ...pageHeaders(`'self'`, 'same-origin'), vary: 'accept-language' }

/** The pay page, rendered here, and its files, served from memory under names that tell versions apart. */
export function mountPayPage(
  server: FastifyInstance,
  deps: {
    guard: Guard
    files: PlainFiles
    render(visit: Visit, files: PlainAddresses): Promise<{ status: 200 | 404; html: string }>
  },
) {
  const files = mountBundle(server, 'pay', deps.files)

  server.get<{ Params: { public_id: string }; Querystring: { lang?: unknown } }>(
    '/pay/:public_id',
    {
      async onRequest(request, reply) {
        request.route = '/pay/:public_id'
        if ((await deps.guard(request, reply)) === undefined) return reply
      },
      async handler(request, reply) {
        const { params, query, headers } = request
        const acceptLanguage = headers['accept-language']
        const visit = { publicId: params.public_id, lang: query.lang, acceptLanguage }
        const { status, html } = await deps.render(visit, files)
        return sendHtml(request, reply.code(status).headers(HEADERS), html)
      },
    },
  )
}
