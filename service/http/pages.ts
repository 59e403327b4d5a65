import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { refuse } from '@ergon/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Random } from '../kernel/index.ts'
import { sendRefusal } from './answer.ts'
import { refuseOtherMethods } from './mount.ts'

/** A built web application: where its files are, and which addresses its own script answers. */
export type Site = { folder: string; pages: readonly string[]; random: Random }

type Asset = { type: string; plain: Buffer; br: Buffer | undefined; gzip: Buffer | undefined }

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}
const NONCE = '__NONCE__'
const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Ergon</title>
<h1>The workspace has not been built</h1><p>The API works. The output of the start says what went wrong with the pages.</p></html>`

/**
 * Serves a built site from memory. Names of assets carry the hash of their content, so they may be
 * kept for ever; the page itself is asked for each time, with a nonce of its own for styles.
 */
export function mountPages(app: FastifyInstance, { folder, pages, random }: Site) {
  const site = readSite(folder)

  function page(_request: FastifyRequest, reply: FastifyReply) {
    const nonce = Buffer.from(random.bytes(16)).toString('base64')
    const html = site ? site.index.replaceAll(NONCE, nonce) : NOT_BUILT
    return reply
      .code(site ? 200 : 503)
      .headers(headersWith(nonce))
      .header('content-type', 'text/html; charset=utf-8')
      .serializer(String)
      .send(html)
  }
  for (const path of pages) {
    app.get(path, page)
    refuseOtherMethods(app, path, ['GET'])
  }

  app.get('/assets/*', (request, reply) => {
    const { '*': name } = request.params as { '*': string }
    const asset = site?.assets.get(`assets/${name}`)
    if (!asset) return sendRefusal(reply, refuse('not_found_path'))
    const accepted = String(request.headers['accept-encoding'] ?? '')
    const encoding = (['br', 'gzip'] as const).find((e) => asset[e] && accepted.includes(e))
    if (encoding) reply.header('content-encoding', encoding)
    return reply
      .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
      .headers({ 'content-type': asset.type, 'x-content-type-options': 'nosniff' })
      .send(encoding ? asset[encoding] : asset.plain)
  })
  refuseOtherMethods(app, '/assets/*', ['GET'])
}

/** No script but ours, no frame around us, nothing from anybody else. Styles need the page's nonce. */
function headersWith(nonce: string): Record<string, string> {
  const policy = [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:`,
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
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'cache-control': 'no-store',
  }
}

function readSite(folder: string): { index: string; assets: Map<string, Asset> } | undefined {
  const index = join(folder, 'index.html')
  if (!existsSync(index)) return undefined
  const files = (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => TYPES[extname(path)] && statSync(path).isFile())
  const packed = (path: string) => (existsSync(path) ? readFileSync(path) : undefined)
  const assets = new Map(
    files.map((path) => [
      relative(folder, path),
      {
        type: TYPES[extname(path)]!,
        plain: readFileSync(path),
        br: packed(`${path}.br`),
        gzip: packed(`${path}.gz`),
      },
    ]),
  )
  return { index: readFileSync(index, 'utf8'), assets }
}
