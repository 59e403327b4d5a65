import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { Guard } from '../http/index.ts'
import { once } from '../kernel/index.ts'
import { ASSET_TYPES, type Asset, pageHeaders, sendAsset } from './assets.ts'

/** Addresses under which the files of the page are served; undefined for one that was not built. */
export type PayAssets = { style: string; script: string | undefined }

type Visit = { publicId: string; lang: unknown; acceptLanguage: string | undefined }

const ASSETS = '/pay/assets'

const HEADERS = { ...pageHeaders(`'self'`, 'same-origin'), vary: 'accept-language' }

/** The pay page, rendered here, and its files, served from memory under names that tell versions apart. */
export function mountPayPage(
  server: FastifyInstance,
  deps: {
    guard: Guard
    /** Put together into one file each; a file that was not built leaves it out. */
    styles: readonly string[]
    scripts: readonly string[]
    render(visit: Visit, assets: PayAssets): Promise<{ status: 200 | 404; html: string }>
  },
) {
  const files = new Map<string, Asset>()
  const style = readAsset(files, deps.styles, 'css')!
  const script = readAsset(files, deps.scripts, 'js')

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
        const { status, html } = await deps.render(visit, { style, script })
        return reply
          .code(status)
          .headers(HEADERS)
          .header('content-type', 'text/html; charset=utf-8')
          .serializer(String)
          .send(html)
      },
    },
  )

  server.get<{ Params: { name: string } }>(`${ASSETS}/:name`, (request, reply) =>
    sendAsset(request, reply, files.get(request.params.name)),
  )
}

function readAsset(files: Map<string, Asset>, paths: readonly string[], kind: 'js' | 'css') {
  if (!paths.every((path) => existsSync(path))) return undefined
  const plain = Buffer.concat(paths.map((path) => readFileSync(path)))
  const version = createHash('sha256').update(plain).digest('hex').slice(0, 12)
  const name = `pay-${version}.${kind}`
  files.set(name, {
    type: ASSET_TYPES[`.${kind}`]!,
    plain,
    br: once(() => brotliCompressSync(plain)),
    gzip: once(() => gzipSync(plain, { level: 9 })),
  })
  return `${ASSETS}/${name}`
}
