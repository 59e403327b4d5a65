import type { FastifyInstance } from 'fastify'
import type { Guard } from '../http/index.ts'
import { pageHeaders, sendHtml } from './assets.ts'
import { mountBundle, type PlainAddresses, type PlainFiles } from './bundle.ts'

const HEADERS = pageHeaders(`'self'`, 'same-origin')

/** The public front at /, and the page for addresses that do not exist. */
export function mountFront(
  server: FastifyInstance,
  deps: {
    guard: Guard
    files: PlainFiles
    render(files: PlainAddresses): Promise<string>
    renderMissing(path: string, files: PlainAddresses): string
  },
) {
  const files = mountBundle(server, 'front', deps.files)
  server.get('/', {
    async onRequest(request, reply) {
      request.route = '/'
      if ((await deps.guard(request, reply)) === undefined) return reply
    },
    handler: async (request, reply) =>
      sendHtml(request, reply.headers(HEADERS), await deps.render(files)),
  })
  server.missingPage.send = (request, reply) => {
    const [path] = request.url.split('?') as [string]
    return sendHtml(request, reply.code(404).headers(HEADERS), deps.renderMissing(path, files))
  }
}
