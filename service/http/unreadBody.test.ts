import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openShop, type Shop } from '../../proof/testing/shop.ts'
import { until } from '../../proof/testing/until.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop({})
})
afterAll(() => shop.close())

/** A connection to the service, as a proxy holds one. */
async function openConnection() {
  const { hostname, port } = new URL(shop.url)
  const socket: Socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const connection = { got: '', isClosed: false }
  socket.on('data', (chunk) => {
    connection.got += chunk
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    connection.isClosed = true
  })
  const answers = () => connection.got.match(/HTTP\/1\.1 \d+/g) ?? []
  return {
    connection,
    send: (text: string) => void socket.write(text),
    answers,
    untilAnswered: (count: number) =>
      until(`${count} answers`, () => answers().length >= count && answers()),
  }
}

const nothing = (headers: string) => `POST /nothing HTTP/1.1\r\nHost: shop\r\n${headers}\r\n\r\n`

test.each([
  ['of a known length', 'Content-Length: 20', 'x'.repeat(5), 'x'.repeat(15)],
  ['in chunks', 'Transfer-Encoding: chunked', '5\r\nxxxxx\r\n', '0\r\n\r\n'],
])(
  'a refusal comes after the whole body %s, and the connection can be used again',
  async (...how) => {
    const [, headers, first, rest] = how
    const { connection, send, answers, untilAnswered } = await openConnection()
    send(nothing(headers) + first)
    // Another client is answered meanwhile, so there was time enough.
    await fetch(`${shop.url}/nothing`)
    expect(answers()).toEqual([])
    send(rest)
    expect(await untilAnswered(1)).toEqual(['HTTP/1.1 404'])
    send('GET /healthz HTTP/1.1\r\nHost: shop\r\n\r\n')
    await untilAnswered(2)
    expect(connection.isClosed).toBe(false)
  },
)

test.each([
  ['Content-Length: 70000', ''],
  ['Transfer-Encoding: chunked', `${(70_000).toString(16)}\r\n${'x'.repeat(70_000)}\r\n`],
])('a body that is too large is not waited for: %s', async (headers, body) => {
  const { connection, send, untilAnswered } = await openConnection()
  send(nothing(headers) + body)
  expect(await untilAnswered(1)).toEqual(['HTTP/1.1 404'])
  expect(connection.got.toLowerCase()).toContain('\r\nconnection: close\r\n')
  await until('the end of the connection', () => connection.isClosed)
})
