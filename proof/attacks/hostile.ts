import type { Route } from '@ergon/contract'
import type { Seeded } from '../testing/seeded.ts'

/** A request as bytes. `abandoned`: the client stops in the middle and closes the connection. */
export type HostileRequest = { bytes: Buffer; abandoned: boolean; route: Route; method: string }

type Field = {
  type?: string
  minimum?: number
  maximum?: number
  items?: Field
  enum?: unknown[]
  properties?: Record<string, Field>
}

const LONG = 'x'.repeat(9_000)

/** Values as JSON text, because no JavaScript value can represent some of them. */
const VALUES = [
  '"65000"', '[65000]', '65000.5', '-1', '-0', '0', '1e400', '-1e400', '1e21', 'true', 'false', 'null', '{}', '[]',
  '9007199254740992', '9007199254740993', '9223372036854775808', '18446744073709551616', '0.1',
  '""', '" "', '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"', '"\\u202e\\u200b"', '"😀"', '"\\\\"',
  `"'; drop table ledger.account; --"`, '"<script>alert(1)</script>"', '"../../etc/passwd"', '"%00"', '"__proto__"',
  '"=HYPERLINK(1)"', '"T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"', '"T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwc"', '"99999999999999"',
  '"9223372036854.775807"', '"1e3"', '"-5"', '{"a":{"b":[1,{"c":null}]}}', '[[],[[]]]', `"${LONG}"`,
  '[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]', '{"__proto__":{"polluted":true}}',
] // biome-ignore format: a table

const BODIES = [
  '', ' ', 'null', '[]', '7', '"x"', 'true', '{', '{"a":', '{}{}', "{'a':1}", '{"a":1,}', '{a:1}', 'NaN', '\ufeff{}', '\0{\0}', '{\0}\0',
  '{"a":"\n"}', '{"a":\t1}', 'undefined', '<xml/>', 'a=b&c=d', '{"":""}', '[{}]', '{"__proto__":null}',
  `${'['.repeat(20_000)}`, `${'['.repeat(20_000)}${']'.repeat(20_000)}`, `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`,
  `{"a":"${'x'.repeat(66_000)}"}`, `{"a":${'9'.repeat(5_000)}}`, `{${'"k":1,'.repeat(5_000)}"k":1}`,
] // biome-ignore format: a table

const PATH_PARTS = [
  '%00', 'a%00b', '..', '%2e%2e%2f', '%', '%zz', '%c3%28', '%ff', '%F0%9F%98%80', 'x'.repeat(300), '0', '-1', 'null',
  '00000000-0000-7000-8000-000000000000', '00000000-0000-7000-8000-00000000000A', "'--", '%27%3b--', '%20', 'own-stake', '+', '*', 'a%2Fb',
] // biome-ignore format: a table

const QUERY_VALUES = [
  '', '%00', 'a%00b', '%', '%zz', '%ff', '+1', '%201', '1.0', '1e3', '0x10', '-1', '0', '-0', '9'.repeat(30), '9'.repeat(500),
  'true', 'null', '1&', '%F0%9F%98%80', "'%20or%201=1", LONG.slice(0, 4_000), '%ED%A0%80', '[]', '{}',
] // biome-ignore format: a table

const HEADER_LINES = [
  'Content-Type: application/json; charset=utf-7', 'Content-Type: nonsense', 'Content-Type: ', 'Content-Type: a/b; c=d; e',
  'Content-Encoding: gzip', 'Accept: nothing/at-all', 'Expect: 100-continue', 'Expect: magic', 'X-Request-Id: \u00e9\u00e8',
  `X-Request-Id: ${'x'.repeat(300)}`, 'Idempotency-Key: ', `Idempotency-Key: ${'k'.repeat(129)}`, 'Idempotency-Key: a b',
  'Idempotency-Key: \u00ff\u00fe', 'Idempotency-Key: a\r\nIdempotency-Key: b', 'X-Forwarded-For: 1.2.3.4, nonsense, ::1',
  'Host: other', 'Cookie: a=b; a=c', 'Upgrade: websocket\r\nConnection: upgrade', 'Range: bytes=0-', 'If-None-Match: *',
  'Origin: null', 'X-HTTP-Method-Override: DELETE', `X-Long: ${LONG}`, 'X-Tab:\ta\tb', 'Content-Length: 0',
  Array.from({ length: 120 }, (_, i) => `X-Many-${i}: ${i}`).join('\r\n'), 'Transfer-Encoding: identity', 'TE: trailers',
] // biome-ignore format: a table

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'get',
  'FOO',
]

/** Bytes that are hardly HTTP; PATH stands for an existing path. */
const BROKEN = [
  '\r\n\r\n', 'GET\r\n\r\n', 'GET PATH\r\n\r\n', 'GET PATH HTTP/9.9\r\nHost: x\r\n\r\n', 'GET PATH HTTP/1.1\r\n\r\n',
  'GET  PATH HTTP/1.1\r\nHost: x\r\n\r\n', 'GET PATH HTTP/1.1\r\nHost x\r\n\r\n', 'GET PATH HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n',
  'GET PATH HTTP/1.1\nHost: x\n\n', ' GET PATH HTTP/1.1\r\nHost: x\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'GET http://other/PATH HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 'POST PATH HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n{}',
  'POST PATH HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 'POST PATH HTTP/1.1\r\nHost: x\r\nContent-Length: -2\r\n\r\n{}',
  'POST PATH HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n{}',
  'POST PATH HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF0\r\n{}', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
] // biome-ignore format: a table

export function hostileRequest(
  chance: Seeded,
  prefix: string,
  route: Route,
  key: string,
): HostileRequest {
  const path = hostilePath(chance, prefix + route.path)
  if (chance.once(12)) {
    const bytes = Buffer.from(chance.pick(BROKEN).replace('PATH', path), 'latin1')
    return { bytes, abandoned: true, route, method: 'BROKEN' }
  }
  const method = chance.once(8) ? chance.pick(METHODS) : route.method
  const query = hostileQuery(chance, route.query as Field | undefined)
  const body = Buffer.from(hostileBody(chance, route.body as Field | undefined))
  const abandoned = body.length > 0 && chance.once(25)
  const lines = [
    `${method} ${path}${query} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    ...hostileKey(chance, key),
    ...(chance.once(3) ? [chance.pick(HEADER_LINES)] : []),
  ]
  const chunked = !abandoned && chance.once(10)
  lines.push(chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  const sent = abandoned ? body.subarray(0, Math.floor(body.length / 2)) : body
  return {
    bytes: Buffer.concat([head, ...(chunked ? chunks(sent) : [sent])]),
    abandoned,
    route,
    method,
  }
}

function chunks(body: Buffer): Buffer[] {
  const end = Buffer.from('0\r\n\r\n')
  if (body.length === 0) return [end]
  return [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n'), end]
}

function hostilePath(chance: Seeded, path: string): string {
  const filled = path.replaceAll(/\{\w+\}/g, () => chance.pick(PATH_PARTS))
  return chance.once(20)
    ? filled + chance.pick(['/', '//', '/x', '%00', '?', '#a', ';a=b'])
    : filled
}

function hostileQuery(chance: Seeded, schema: Field | undefined): string {
  const known = Object.keys(schema?.properties ?? {})
  const names = [...known, ...(chance.once(3) ? ['unknown', '__proto__', 'a[b]', ''] : [])]
  const pairs = names.flatMap((name) => {
    if (chance.once(4)) return []
    const pair = `${name}=${chance.pick(QUERY_VALUES)}`
    return chance.once(6) ? [pair, pair] : [pair]
  })
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

function hostileKey(chance: Seeded, key: string): string[] {
  if (!chance.once(8)) return [`X-API-Key: ${key}`]
  const twice = `X-API-Key: ${key}\r\nX-API-Key: ${key}`
  const wrong = [
    `erg_${'A'.repeat(43)}`,
    `${key} `,
    key.toUpperCase(),
    LONG,
    '\u00ff',
    "' or 1=1",
    '',
  ]
  return chance.pick([[], [twice], [`X-API-Key: ${chance.pick(wrong)}`]])
}

function hostileBody(chance: Seeded, schema: Field | undefined): string {
  if (!schema) return chance.once(3) ? chance.pick(BODIES) : ''
  if (chance.once(4)) return chance.pick(BODIES)
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    if (chance.once(6)) return []
    const value = chance.once(3) ? fittingValue(field) : chance.pick(VALUES)
    const pair = `${JSON.stringify(name)}:${value}`
    return chance.once(20) ? [pair, pair] : [pair]
  })
  if (chance.once(6)) fields.push(`"unknown":${chance.pick(VALUES)}`)
  return `{${fields.join(',')}}`
}

/** A small valid value, so that a fault in another field is reached. */
function fittingValue(field: Field): string {
  if (field.enum) return JSON.stringify(field.enum[0])
  if (field.type === 'integer') return String(field.minimum ?? 1)
  if (field.type === 'boolean') return 'true'
  if (field.type === 'array') return `[${field.items ? fittingValue(field.items) : ''}]`
  return '"1"'
}
