import type { FastifyInstance } from 'fastify'
import type { Guard } from '../http/index.ts'
import { pageHeaders, sendHtml } from './assets.ts'
import { mountBundle, type PlainAddresses, type PlainFiles } from './bundle.ts'

const HEADERS = pageHeaders(`'self'`, 'same-origin')

/** The public front at /, the texts of the operator, and the page for addresses that do not exist. */
export function mountFront(
  server: FastifyInstance,
  deps: {
    guard: Guard
    files: PlainFiles
    render(files: PlainAddresses): Promise<string>
    /** Further pages, by their paths. */
    others: ReadonlyMap<string, (files: PlainAddresses) => Promise<string>>
    renderMissing(path: string, files: PlainAddresses): string
  },
) {
  const files = mountBundle(server, 'front', deps.files)
  for (const [path, render] of [['/', deps.render] as const, ...deps.others]) {
    server.get(path, {
      async onRequest(request, reply) {
        request.route = path
        if ((await deps.guard(request, reply)) === undefined) return reply
      },
      handler: async (request, reply) =>
        sendHtml(request, reply.headers(HEADERS), await render(files)),
    })
  }
  server.missingPage.send = (request, reply) => {
    const [path] = request.url.split('?') as [string]
    return sendHtml(request, reply.code(404).headers(HEADERS), deps.renderMissing(path, files))
  }
}
