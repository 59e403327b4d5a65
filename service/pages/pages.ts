import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { once, type Random } from '../kernel/index.ts'
import { ASSET_TYPES, type Asset, NOT_BUILT, pageHeaders, sendAsset, sendHtml } from './assets.ts'

/** A built web application: where its files are, and which addresses its own script answers. */
export type Site = {
  folder: string
  pages: readonly string[]
  random: Random
  /** Where its assets are, as it was built; `/` unless told. */
  base?: string
}

const NONCE = '__NONCE__'

/**
 * Serves a built site from memory. Names of assets carry the hash of their content, so they may be
 * kept for ever; the page itself is asked for each time, with a nonce of its own for styles.
 */
export function mountPages(server: FastifyInstance, { folder, pages, random, base = '/' }: Site) {
  const site = readSite(folder)

  function page(request: FastifyRequest, reply: FastifyReply) {
    const nonce = Buffer.from(random.bytes(16)).toString('base64')
    const html = site ? site.index.replaceAll(NONCE, nonce) : NOT_BUILT
    reply
      .code(site ? 200 : 503)
      .headers(pageHeaders(`'self' 'nonce-${nonce}'`, 'same-origin-allow-popups'))
    return sendHtml(request, reply, html)
  }
  for (const path of pages) {
    server.get(path, page)
  }

  server.get(`${base}assets/*`, (request, reply) => {
    const { '*': name } = request.params as { '*': string }
    return sendAsset(request, reply, site?.assets.get(`assets/${name}`))
  })
}

function readSite(folder: string): { index: string; assets: Map<string, Asset> } | undefined {
  const index = join(folder, 'index.html')
  if (!existsSync(index)) return undefined
  const files = (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => ASSET_TYPES[extname(path)] && statSync(path).isFile())
  const packed = (path: string) => (existsSync(path) ? once(() => readFileSync(path)) : undefined)
  const assets = new Map(
    files.map((path) => [
      relative(folder, path),
      {
        type: ASSET_TYPES[extname(path)]!,
        plain: readFileSync(path),
        br: packed(`${path}.br`),
        gzip: packed(`${path}.gz`),
      },
    ]),
  )
  return { index: readFileSync(index, 'utf8'), assets }
}
