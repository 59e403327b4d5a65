import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { post } from './post.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const { signal } = new AbortController()
const ask = (url: string) => post(url, { headers: {}, body: '{"a":"é"}', signal })

async function read(url: string): Promise<string> {
  const { body } = await ask(url)
  const chunks: Uint8Array[] = []
  for await (const chunk of body!) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('the body arrives whole, in bytes and not in letters', async () => {
  const url = await serving((request, response) => request.pipe(response))
  expect(await read(url)).toBe('{"a":"é"}')
})

test('what was compressed is read as what it was', async () => {
  const url = await serving((request, response) => {
    expect(request.headers['accept-encoding']).toBe('gzip')
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1_000_000)))
  })
  expect(await read(url)).toBe('x'.repeat(1_000_000))
})

test.each([{}, { 'content-encoding': 'gzip' }])(
  'cut off halfway, %j, it is an error',
  async (headers) => {
    const whole = gzipSync(Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * i) % 251)))
    const url = await serving((_request, response) => {
      response.writeHead(200, { ...headers, 'content-length': whole.length })
      response.write(whole.subarray(0, whole.length / 2), () => response.destroy())
    })
    await expect(read(url)).rejects.toThrow()
  },
)

test('a redirect is an answer like any other', async () => {
  const url = await serving((_request, response) =>
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  )
  const { status, headers } = await ask(url)
  expect([status, headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/'])
})

test('a connection is used again, and a new one is made when the node has closed it', async () => {
  const ports: number[] = []
  const url = await serving((request, response) => {
    ports.push(request.socket.remotePort!)
    response.setHeader('connection', ports.length === 2 ? 'close' : 'keep-alive').end('{}')
  })
  for (let call = 0; call < 3; call++) expect(await read(url)).toBe('{}')
  expect(ports[1]).toBe(ports[0])
  expect(ports[2]).not.toBe(ports[0])
})
