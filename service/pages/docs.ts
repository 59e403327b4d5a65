import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendMissing } from '../http/index.ts'
import { once } from '../kernel/index.ts'
import { ASSET_TYPES, type Asset, NOT_BUILT, pageHeaders, sendAsset, sendPacked } from './assets.ts'

type Site = {
  /** Where the built documentation is. */
  folder: string
  /** The operating manual is for those who run the service: a sandbox shows it, production does not. */
  hasManual: boolean
}

/** The documentation at /docs, as it was built: files, read when they are first asked for. */
export function mountDocs(server: FastifyInstance, { folder, hasManual }: Site) {
  const files = readFiles(folder)
  const answer = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    if (name.startsWith('assets/')) return sendAsset(request, reply, files.get(name))
    const page = name.startsWith('operating/') && !hasManual ? undefined : files.get(`${name}.html`)
    if (!page && files.size > 0) return sendMissing(request, reply)
    reply.code(page ? 200 : 503).headers(HEADERS)
    reply.headers({ 'content-type': HTML, vary: 'accept-encoding' })
    return page ? sendPacked(request, reply, page) : reply.serializer(String).send(NOT_BUILT)
  }
  server.get('/docs', (request, reply) => answer(request, reply, 'index'))
  server.get('/docs/*', (request, reply) => {
    return answer(request, reply, (request.params as { '*': string })['*'])
  })
}

const HTML = 'text/html; charset=utf-8'
const TYPES: Record<string, string> = {
  ...ASSET_TYPES,
  '.html': HTML,
  '.json': 'application/json; charset=utf-8',
}
const HEADERS = pageHeaders(`'self'`, 'same-origin')

function readFiles(folder: string): Map<string, Asset> {
  if (!existsSync(join(folder, 'stamp'))) return new Map()
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    /\.(html|js|css|json|svg)$/.test(name),
  )
  return new Map(names.map((name) => [name, assetOf(join(folder, name))]))
}

function assetOf(path: string): Asset {
  const read = once(() => readFileSync(path))
  return {
    type: TYPES[extname(path)]!,
    get plain() {
      return read()
    },
    br: once(() => readFileSync(`${path}.br`)),
    gzip: once(() => readFileSync(`${path}.gz`)),
  }
}
