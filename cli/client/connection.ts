import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ergon } from '../../sdk/index.ts'
import { Unusable } from './unusable.ts'

export type Connection = { ergon: Ergon; baseUrl: string }

type Flags = { url?: string | undefined; key?: string | undefined }
/** Few, because a person is waiting. */
const RETRIES = 2

type Known = { base_url: string; accounts: { api_key: string }[] }

/**
 * Flags first, then ERGON_URL and ERGON_KEY, then the sandbox's own file. The file's key is sent
 * only to the file's URL: another service needs its own key.
 */
export function connect(flags: Flags): Connection {
  const given = { url: flags.url || process.env.ERGON_URL, key: flags.key || process.env.ERGON_KEY }
  const sandbox = given.url && given.key ? undefined : readSandbox()
  const baseUrl = given.url ? withVersion(given.url) : sandbox?.base_url
  if (!baseUrl) {
    const file = sandboxFile()
    throw new Unusable(`Where is Ergon? Give --url or ERGON_URL; there is no ${file} either.`)
  }
  const own = sandbox?.base_url === baseUrl ? sandbox.accounts[0]?.api_key : undefined
  const apiKey = given.key || own
  if (!apiKey) throw new Unusable(`Which key for ${baseUrl}? Give --key or ERGON_KEY.`)
  // The error of a request would show the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new Unusable('The API key has a space or a line break in it. Copy it again.')
  }
  return { baseUrl, ergon: new Ergon({ baseUrl, apiKey, retries: RETRIES }) }
}

function sandboxFile(): string {
  return join(process.env.DATA_DIR || '.data', 'sandbox.json')
}

function readSandbox(): Known | undefined {
  const path = sandboxFile()
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new Unusable(`${path} cannot be read as JSON. Start the sandbox again, or give --url.`)
  }
}

/** Adds /v1 to a URL such as `http://127.0.0.1:8080`. */
function withVersion(url: string): string {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new Unusable(`"${url}" is not an address such as https://ergon.example/v1.`)
  }
  const { origin, pathname } = new URL(url)
  const path = pathname.replace(/\/+$/, '')
  return origin + (path || '/v1')
}
