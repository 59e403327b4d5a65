import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { once } from '../kernel/index.ts'
import { ASSET_TYPES, type Asset, sendAsset } from './assets.ts'

/** Files of a page that is rendered here. Styles and scripts are put together into one file each. */
export type PlainFiles = { styles: readonly string[]; scripts: readonly string[]; icon: string }

/** Addresses under which they are served; undefined for one that was not built. */
export type PlainAddresses = {
  style: string
  script: string | undefined
  icon: string | undefined
}

/** Serves the files of a page from memory, under names that tell versions apart. */
export function mountBundle(
  server: FastifyInstance,
  name: string,
  { styles, scripts, icon }: PlainFiles,
): PlainAddresses {
  const base = `/${name}/assets`
  const files = new Map<string, Asset>()
  server.get<{ Params: { name: string } }>(`${base}/:name`, (request, reply) =>
    sendAsset(request, reply, files.get(request.params.name)),
  )

  function add(paths: readonly string[]): string | undefined {
    if (!paths.every((path) => existsSync(path))) return undefined
    const plain = Buffer.concat(paths.map((path) => readFileSync(path)))
    const version = createHash('sha256').update(plain).digest('hex').slice(0, 12)
    const kind = extname(paths[0]!)
    const file = `${name}-${version}${kind}`
    files.set(file, {
      type: ASSET_TYPES[kind]!,
      plain,
      br: once(() => brotliCompressSync(plain)),
      gzip: once(() => gzipSync(plain, { level: 9 })),
    })
    return `${base}/${file}`
  }
  return { style: add(styles)!, script: add(scripts), icon: add([icon]) }
}
