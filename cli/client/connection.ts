import { Ergon } from '../../sdk/index.ts'
import { PROGRAM } from '../program.ts'
import { type Login, readKept } from './kept.ts'
import { readSandbox, type SandboxFile } from './sandboxFile.ts'
import { Unusable } from './unusable.ts'

export type Flags = { url?: string | undefined; key?: string | undefined }
/** Where Ergon is, how we know, and the key for it. */
export type Place = {
  baseUrl: string
  from: string
  apiKey: string | undefined
  sandbox: SandboxFile | undefined
}
export type Connection = Place & { ergon: Ergon; apiKey: string }

/** Few, because a person is waiting. */
const RETRIES = 2

/**
 * Flags first, then ERGON_URL and ERGON_KEY, then the sandbox of this folder, then `ergon login`. A kept
 * key is sent only to the URL that it was kept with: another service needs its own key.
 */
export function findPlace(flags: Flags): Place {
  for (const name of ['url', 'key'] as const) {
    if (flags[name] === '') {
      throw new Unusable(`--${name} is empty. Give a value, or leave the option out.`)
    }
  }
  const { ERGON_URL, ERGON_KEY } = process.env
  const file = readSandbox()
  const sandbox = file && { url: file.base_url, key: file.accounts[0]?.api_key, from: file.path }
  const login = readKept<Login>('login')
  const kept = login && { url: login.base_url, key: login.api_key, from: `${PROGRAM} login` }
  const named = flags.url
    ? { url: withVersion(flags.url), from: '--url' }
    : ERGON_URL && { url: withVersion(ERGON_URL), from: 'ERGON_URL' }
  const place = named || sandbox || kept
  if (!place) {
    throw new Unusable(
      `Where is Ergon? Give --url or ERGON_URL, run "${PROGRAM} login", or go to the folder of a sandbox.`,
    )
  }
  const own = [sandbox, kept].find((one) => one?.url === place.url)?.key
  const apiKey = flags.key ?? (ERGON_KEY || own)
  // The error of a request would show the key.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new Unusable('The API key has a space or a line break in it. Copy it again.')
  }
  const isSandbox = sandbox?.url === place.url
  return { baseUrl: place.url, from: place.from, apiKey, sandbox: isSandbox ? file : undefined }
}

/** The same, with a key. */
export function connect(flags: Flags): Connection {
  const place = findPlace(flags)
  const { baseUrl, apiKey } = place
  if (!apiKey) {
    throw new Unusable(
      `Which key for ${baseUrl}? Give --key or ERGON_KEY, or run "${PROGRAM} login".`,
    )
  }
  return { ...place, apiKey, ergon: new Ergon({ baseUrl, apiKey, retries: RETRIES }) }
}

/** Adds /v1 to a URL such as `http://127.0.0.1:8080`. */
export function withVersion(url: string): string {
  if (!isHttp(url)) {
    throw new Unusable(`"${url}" is not an address such as https://ergon.example/v1.`)
  }
  const { origin, pathname } = new URL(url)
  const path = pathname.replace(/\/+$/, '')
  return origin + (path || '/v1')
}

/** Node 20 has no URL.parse. */
export function isHttp(url: string): boolean {
  try {
    return /^https?:$/.test(new URL(url).protocol)
  } catch {
    return false
  }
}
