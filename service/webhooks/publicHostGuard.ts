import { isIP } from 'node:net'
import { type Refusal, refuse } from '@ergon/contract'
import ipaddr from 'ipaddr.js'

/**
 * Allows HTTPS to public hosts only. One parser reads a URL, and its result is used for the connection;
 * every address of a name is checked.
 */

/** Ports of other services: those that browsers block, and those of databases. */
const PORTS_REFUSED = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
  102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 162,
  179, 389, 427, 445, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563,
  587, 601, 623, 636, 873, 989, 990, 993, 995, 1080, 1194, 1433, 1434, 1521, 1719, 1720,
  1723, 1883, 2049, 2181, 3128, 3306, 3389, 3659, 4045, 4190, 4222, 5060, 5061, 5222, 5269,
  5432, 5433, 5672, 5900, 6000, 6379, 6380, 6432, 6514, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 8883, 9042, 9092, 9160, 10080, 11211, 26257, 27017, 27018, 27019, 61616,
]) // biome-ignore format: a table

/** Names of local networks; no resolver is asked. */
const NEAR = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)$/

const invalid = (message: string) => refuse('validation_error', { message })

/** The URL, or why it is refused. The addresses of its name are checked later. */
export function parseTarget(text: string): URL | Refusal {
  if (hasNoHost(text)) return refuse('webhook_host_missing')
  if (!URL.canParse(text)) {
    return invalid('url is not a URL. Write it like https://example.com/events.')
  }
  const url = new URL(text)
  if (url.protocol !== 'https:')
    return invalid(
      'url must start with https://. For a server on your machine: npx ergon listen URL.',
    )
  if (url.username !== '' || url.password !== '') {
    return invalid('url must not contain a user name or a password.')
  }
  if (url.port !== '' && PORTS_REFUSED.has(Number(url.port))) {
    return invalid(`url must not use port ${url.port}, which belongs to another kind of service.`)
  }
  const literal = literalOf(url)
  const isPublicHost = literal === undefined ? isPublicName(url.hostname) : isPublic(literal)
  return isPublicHost ? url : refuse('webhook_host_not_public')
}

/**
 * `https:///x` and `https://:443/`, for which the contract has its own refusal. Judged before parsing:
 * the parser would take `x` as the host.
 */
function hasNoHost(text: string): boolean {
  const found = /^\s*https:[\\/]{0,2}([^\\/?#]*)/i.exec(text)
  return found !== null && /^(?:[^@]*@)?(?::\d*)?$/.test(found[1]!)
}

/** The IP address in a URL, in the parser's normal form. */
export function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) === 0 ? undefined : bare
}

/** With a dot inside and none at the end: otherwise a resolver may try names of our own network. */
function isPublicName(hostname: string): boolean {
  const looksPublic =
    /^[^.]+(\.[^.]+)+$/.test(hostname) && !/^\d+$/.test(hostname.split('.').at(-1)!)
  return looksPublic && !NEAR.test(hostname)
}

/**
 * Public unicast only. Addresses that embed another address are refused: IPv4 in IPv6, 6to4, Teredo,
 * NAT64, ISATAP.
 */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed.kind() === 'ipv4') return true
  const { parts } = parsed as ipaddr.IPv6
  const isGlobal = (parts[0]! & 0xe000) === 0x2000
  const isIsatap = parts[5] === 0x5efe && (parts[4]! & 0xfdff) === 0
  return isGlobal && !isIsatap
}
