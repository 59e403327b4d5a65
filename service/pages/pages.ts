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
  /** Pages with an HTML file of their own in the folder, such as those before the sign-in. */
  others?: { file: string; pages: readonly string[] }
  /** Put in place of the words in the HTML. */
  words?: Record<string, string>
}

const NONCE = '__NONCE__'

/**
 * Serves a built site from memory. Names of assets carry the hash of their content, so they may be
 * kept for ever; the page itself is asked for each time, with a nonce of its own for styles.
 */
export function mountPages(server: FastifyInstance, options: Site) {
  const { folder, pages, others, random, base = '/', words = {} } = options
  const assets = readAssets(folder)

  const page = (file: string) => {
    const told = readHtml(join(folder, file), words)
    return (request: FastifyRequest, reply: FastifyReply) => {
      const nonce = Buffer.from(random.bytes(16)).toString('base64')
      const html = told?.replaceAll(NONCE, nonce)
      reply
        .code(html ? 200 : 503)
        .headers(pageHeaders(`'self' 'nonce-${nonce}'`, 'same-origin-allow-popups'))
      return sendHtml(request, reply, html ?? NOT_BUILT)
    }
  }
  for (const path of pages) server.get(path, page('index.html'))
  for (const path of others?.pages ?? []) server.get(path, page(others!.file))

  server.get(`${base}assets/*`, (request, reply) => {
    const { '*': name } = request.params as { '*': string }
    return sendAsset(request, reply, assets.get(`assets/${name}`))
  })
}

function readHtml(path: string, words: Record<string, string>): string | undefined {
  if (!existsSync(path)) return undefined
  const html = readFileSync(path, 'utf8')
  return Object.entries(words).reduce((text, [name, word]) => text.replaceAll(name, word), html)
}

function readAssets(folder: string): Map<string, Asset> {
  if (!existsSync(folder)) return new Map()
  const files = (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => ASSET_TYPES[extname(path)] && statSync(path).isFile())
  const packed = (path: string) => (existsSync(path) ? once(() => readFileSync(path)) : undefined)
  return new Map(
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
}
