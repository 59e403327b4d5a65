import type { Route } from '@ergon/contract'
import type { FastifyInstance } from 'fastify'
import { once } from '../kernel/index.ts'
import { errorPages } from './errorPages.ts'
import { guidePaths, guideStyle, readGuide } from './guide.ts'
import { referencePage, referenceStyle } from './reference.ts'

/**
 * The reference and the guide, rendered at the first request and then cached. No scripts, no third-party
 * content.
 */
export function mountDocs(
  server: FastifyInstance,
  { routes, sandboxRoutes }: { routes: readonly Route[]; sandboxRoutes: readonly Route[] },
) {
  const all = [
    ...routes.map((route) => ({ ...route, path: `/v1${route.path}` })),
    ...sandboxRoutes.map((route) => ({ ...route, path: `/sandbox${route.path}` })),
  ]
  const serve = (path: string, type: string, text: () => string) => {
    server.get(path, (_request, reply) =>
      reply
        .headers({ ...HEADERS, 'content-type': `${type}; charset=utf-8` })
        .serializer(String)
        .send(text()),
    )
  }
  const guide = once(() => readGuide(errorPages(all)))
  serve(
    '/docs',
    'text/html',
    once(() => referencePage(all, guide().navigation)),
  )
  serve('/docs/reference.css', 'text/css', () => referenceStyle)
  serve('/docs/guide.css', 'text/css', () => guideStyle)
  for (const path of guidePaths(errorPages([])))
    serve(path, 'text/html', () => guide().pages.get(path)!)
}

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
