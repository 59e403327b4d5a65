import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

const READY = 0x5a
const IDLE = 0x49
const SSL_REQUEST = 80_877_103

type Client = { socket: Socket; waiting: Buffer[] }

/**
 * A pooler in transaction mode with one session: the client that begins a transaction has it until the end. Answers
 * to a client's start are those that the first one got.
 */
export async function openTransactionPooler(databaseUrl: string) {
  const url = new URL(databaseUrl)
  const real = connect(`${url.searchParams.get('host')}/.s.PGSQL.5432`)
  real.on('error', () => {})
  const sockets: Socket[] = []
  const queue: Client[] = []
  let owner: Client | undefined
  let greeting: Buffer | undefined
  let unread = Buffer.alloc(0)
  let isStarted = false
  const greeted: Socket[] = []

  real.on('data', (bytes) => {
    unread = Buffer.concat([unread, bytes])
    for (;;) {
      if (unread.length < 5 || unread.length < 1 + unread.readUInt32BE(1)) return
      const length = 1 + unread.readUInt32BE(1)
      const message = Buffer.from(unread.subarray(0, length))
      unread = unread.subarray(length)
      hear(message)
    }
  })

  function hear(message: Buffer) {
    const isReady = message[0] === READY
    if (!greeting) {
      started.push(message)
      if (!isReady) return
      greeting = Buffer.concat(started)
      for (const socket of greeted) socket.write(greeting)
      return
    }
    owner?.socket.write(message)
    if (isReady && message[5] === IDLE && owner?.waiting.length === 0) release()
  }
  const started: Buffer[] = []

  function release() {
    owner = queue.shift()
    if (owner) flush(owner)
  }

  function flush(client: Client) {
    for (const bytes of client.waiting.splice(0)) real.write(bytes)
  }

  function speak(client: Client, bytes: Buffer) {
    client.waiting.push(bytes)
    if (!owner) owner = client
    if (owner === client) flush(client)
    else if (!queue.includes(client)) queue.push(client)
  }

  const server = createServer((socket) => {
    const client: Client = { socket, waiting: [] }
    let isIn = false
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      if (isIn) {
        // A client that leaves must not end the session of the others.
        if (bytes[0] === 0x58) socket.end()
        else speak(client, bytes)
      } else if (bytes.readUInt32BE(4) === SSL_REQUEST) socket.write('N')
      else {
        isIn = true
        if (!isStarted) real.write(bytes)
        isStarted = true
        if (greeting) socket.write(greeting)
        else greeted.push(socket)
      }
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    url: `postgresql://${url.username}@127.0.0.1:${port}${url.pathname}`,
    close() {
      server.close()
      real.destroy()
      for (const socket of sockets) socket.destroy()
    },
  }
}
