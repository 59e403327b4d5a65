import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { refuse } from '@ergon/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendRefusal } from '../http/index.ts'

/** A file of a page, held in memory, packed where that is smaller. */
export type Asset = {
  type: string
  plain: Buffer
  br: (() => Buffer) | undefined
  gzip: (() => Buffer) | undefined
}

export const ASSET_TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** Names of assets carry the hash of their content, so they may be kept for ever. */
export function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset | undefined) {
  if (!asset) return sendRefusal(reply, refuse('not_found_path'))
  reply
    .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
    .headers({ 'content-type': asset.type, 'x-content-type-options': 'nosniff' })
  return sendPacked(request, reply, asset)
}

/** In the smallest form that the browser understands. */
export function sendPacked(request: FastifyRequest, reply: FastifyReply, asset: Asset) {
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const encoding = (['br', 'gzip'] as const).find((e) => asset[e] && accepted.includes(e))
  if (encoding) reply.header('content-encoding', encoding)
  return reply.send(encoding ? asset[encoding]!() : asset.plain)
}

/** Smaller pages gain nothing. */
const PACKED_BYTES_MIN = 1_000
/** Quick enough for every answer; a higher quality gains a few percent. */
export const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/** A page that was made for this request, packed if the browser understands it. */
export function sendHtml(request: FastifyRequest, reply: FastifyReply, html: string): FastifyReply {
  const plain = Buffer.from(html)
  const type = 'text/html; charset=utf-8'
  reply.headers({ 'content-type': type }).header('vary', varyOf(reply))
  const asset = {
    type,
    plain,
    br: () => brotliCompressSync(plain, BROTLI),
    gzip: () => gzipSync(plain),
  }
  return plain.length < PACKED_BYTES_MIN ? reply.send(plain) : sendPacked(request, reply, asset)
}

/** The encoding, besides what the page depends on already. */
function varyOf(reply: FastifyReply): string {
  const others = reply.getHeader('vary')
  return others ? `${others}, accept-encoding` : 'accept-encoding'
}

export const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="robots" content="noindex"><title>Ergon</title>
<h1>This page has not been built</h1><p>The API works. The output of the start says what went wrong with the pages.</p></html>`

/** No script but ours, no frame around us, nothing from anybody else. `style` is what styles need. */
export function pageHeaders(style: string, opener: string): Record<string, string> {
  const policy = [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src ${style}`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': opener,
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'cache-control': 'no-store',
  }
}
