import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { Guard } from '../http/index.ts'
import { once } from '../kernel/index.ts'
import { type Asset, BROTLI, pageHeaders, sendPacked } from './assets.ts'
import { mountBundle, type PlainAddresses, type PlainFiles } from './bundle.ts'

const PATH = '/status'
const TYPE = 'text/html; charset=utf-8'
const HEADERS = {
  ...pageHeaders(`'self'`, 'same-origin'),
  'content-type': TYPE,
  'cache-control': 'public, max-age=10',
  vary: 'accept-encoding',
}

/** The status page. Everybody looks at it at once when something is wrong, so it is packed once for all who come while it says the same. */
export function mountStatusPage(
  server: FastifyInstance,
  deps: {
    guard: Guard
    files: PlainFiles
    /** The same text while it says the same. */
    render(files: PlainAddresses): Promise<string>
  },
) {
  const files = mountBundle(server, 'status', deps.files)
  let kept: { html: string; asset: Asset } | undefined
  server.get(PATH, {
    async onRequest(request, reply) {
      request.route = PATH
      if ((await deps.guard(request, reply)) === undefined) return reply
    },
    async handler(request, reply) {
      const html = await deps.render(files)
      if (kept?.html !== html) kept = { html, asset: packed(html) }
      return sendPacked(request, reply.headers(HEADERS), kept.asset)
    },
  })
}

function packed(html: string): Asset {
  const plain = Buffer.from(html)
  return {
    type: TYPE,
    plain,
    br: once(() => brotliCompressSync(plain, BROTLI)),
    gzip: once(() => gzipSync(plain)),
  }
}
