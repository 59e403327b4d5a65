import { createRequire } from 'node:module'
import { isRefusal } from '@ergon/contract'
import { expect, test } from 'vitest'
import { isPublic, parseTarget } from './publicHostGuard.ts'

const verdict = (url: string) => {
  const parsed = parseTarget(url)
  return isRefusal(parsed) ? parsed.refused : parsed.href
}

test.each([
  ['https://example.com', 'https://example.com/'],
  ['https://example.com:8443/a?b=c', 'https://example.com:8443/a?b=c'],
  ['https://EXAMPLE.com./', 'webhook_host_not_public'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['https://8.8.8.8/hook', 'https://8.8.8.8/hook'],
  ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
])('%s → %s', (url, expected) => {
  expect(verdict(url)).toBe(expected)
})

test.each([
  'https://',
  'https:///',
  'https:///x',
  'https:///example.com/events',
  'https:\\\\\\x',
  'https://:443/',
  'https://?a',
  'https://#a',
  'https://user@/',
  'HTTPS://',
])('%s has no host', (url) => {
  expect(verdict(url)).toBe('webhook_host_missing')
})

test.each([
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com:70/',
  'data:text/plain,x',
  'javascript:alert(1)',
  'example.com/hook',
  '',
  'https://user@example.com/',
  'https://user:word@example.com/',
  'https://:word@example.com/',
  'https://example.com:22/',
  'https://example.com:25/',
  'https://example.com:5432/',
  'https://example.com:6379/',
  'https://example.com:99999/',
  'https://exa mple.com/',
  'https://[fe80::1%25eth0]/',
])('%s is not a URL for a webhook', (url) => {
  expect(verdict(url)).toBe('validation_error')
})

/**
 * Beside the ports that browsers refuse: other services that answer to a line of text, above all
 * databases.
 */
const OTHER_PORTS = [
  138, 162, 445, 623, 873, 1080, 1194, 1433, 1434, 1521, 1883, 2181, 3128, 3306, 3389, 4222, 5222,
  5269, 5432, 5433, 5672, 5900, 6379, 6380, 6432, 6514, 8883, 9042, 9092, 9160, 11211, 26257, 27017,
  27018, 27019, 61616,
] // biome-ignore format: a table

test('the ports that browsers refuse and those of databases are refused, and no others', () => {
  const { badPorts } = createRequire(import.meta.url)('undici/lib/web/fetch/constants.js')
  const wanted = [...badPorts.map(Number), ...OTHER_PORTS].sort((a, b) => a - b)
  const ports = Array.from({ length: 65_535 }, (_, index) => index + 1)
  const refused = ports.filter((port) => isRefusal(parseTarget(`https://example.com:${port}/`)))
  expect(refused).toEqual(wanted)
})

// Every notation of an address that a URL parser accepts.
test.each([
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://127.0.0.1./',
  'https://１２７.０.０.１/',
  'https://①②⑦.⓪.⓪.①/',
  'https://10.0.0.1/',
  'https://172.16.5.4/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://100.64.0.1/',
  'https://0.0.0.0/',
  'https://255.255.255.255/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:8.8.8.8]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[64:ff9b::808:808]/',
  'https://[64:ff9b:1::a00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://localhost/',
  'https://localhost./',
  'https://LOCALHOST/',
  'https://a.localhost/',
  'https://router/',
  'https://printer.local/',
  'https://metadata.google.internal/',
  'https://db.corp/',
  'https://nas.home.arpa/',
  'https://example.com./',
  'https://example..com/',
  'https://.example.com/',
])('%s does not name a public host', (url) => {
  expect(['webhook_host_not_public', 'validation_error']).toContain(verdict(url))
  expect(verdict(url)).toBe('webhook_host_not_public')
})

test.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001::1'])(
  '%s is public',
  (address) => {
    expect(isPublic(address)).toBe(true)
  },
)

test.each([
  ...[
    '0.0.0.0',
    '0.1.2.3',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.0.1',
  ],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.88.99.1'],
  ...['192.168.0.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
  ...[
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::8.8.8.8',
    '::ffff:10.0.0.1',
  ],
  ...[
    '::ffff:8.8.8.8',
    '::ffff:0:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
  ],
  ...['2001:2::1', '2001:10::1', '2001:20::1', '2001:db8::1', '2002:0808:0808::1', '3fff::1'],
  ...['5f00::1', 'fc00::1', 'fdff::1', 'fe80::1', 'febf::1', 'fec0::1', 'ff02::1', '4000::1'],
  ...['2606:4700::5efe:10.0.0.1', '2606:4700::200:5efe:10.0.0.1', '8.8.8', 'nonsense', ''],
])('%s is not public', (address) => {
  expect(isPublic(address)).toBe(false)
})
