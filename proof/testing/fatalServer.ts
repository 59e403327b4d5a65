import { createServer, type Socket } from 'node:net'

/**
 * A server with enough of PostgreSQL's protocol to accept a connection and a statement. It then
 * ends the session in the same write as ReadyForQuery, so the client reads both at once.
 */
export type FatalServer = { url: string; fatals(): number; close(): void }

/** When it ends a session: right after the startup, or after the answer to the first statement. */
export type Moment = 'connected' | 'answered'

const message = (type: string, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts)
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}
const text = (value: string) => Buffer.from(`${value}\0`)
const int16 = (value: number) => Buffer.of(value >> 8, value & 0xff)
const int32 = (value: number) => Buffer.of(0, 0, value >> 8, value & 0xff)

const authenticated = message('R', int32(0))
const ready = message('Z', Buffer.from('I'))
const complete = message('C', text('SELECT 1'))
const fatal = message(
  'E',
  text('SFATAL'),
  text('VFATAL'),
  text('C57P01'),
  text('Mterminating connection due to administrator command'),
  Buffer.of(0),
)

/** The answer to `openServers`' first query: a primary on its first timeline. */
const LOOK = { closed: 'f', commit: 'on', version: '180000', timeline: '1' }
const TEXT = 25
const BOOL = 16
const INT4 = 23
const types = { closed: BOOL, commit: TEXT, version: INT4, timeline: INT4 }

function lookAnswer(): Buffer {
  const names = Object.keys(LOOK) as (keyof typeof LOOK)[]
  const columns = names.map((name) =>
    Buffer.concat([
      text(name),
      int32(0),
      int16(0),
      int32(types[name]),
      int16(4),
      int32(0),
      int16(0),
    ]),
  )
  const values = names.map((name) => {
    const value = Buffer.from(LOOK[name])
    return Buffer.concat([int32(value.length), value])
  })
  const count = int16(names.length)
  return Buffer.concat([message('T', count, ...columns), message('D', count, ...values), complete])
}

/** The answer to each message of the extended protocol; everything up to Sync is one write. */
const answers: Record<string, Buffer> = {
  P: message('1'),
  B: message('2'),
  D: message('n'),
  E: complete,
}

export async function openFatalServer(moment: Moment): Promise<FatalServer> {
  let fatals = 0
  let connections = 0
  const sockets = new Set<Socket>()

  function serve(socket: Socket) {
    connections += 1
    // The first connection only checks which server is the primary.
    const isLook = connections === 1
    let pending = Buffer.alloc(0)
    let reply: Buffer[] = []
    let hasBegun = false

    /** Sends ReadyForQuery and the fatal error in one write. */
    function end(before: Buffer[]) {
      fatals += 1
      socket.end(Buffer.concat([...before, ready, fatal]))
    }
    function begin() {
      hasBegun = true
      if (moment === 'connected' && !isLook) end([authenticated])
      else socket.write(Buffer.concat([authenticated, ready]))
    }
    function receive(type: string) {
      if (type === 'X') return void socket.end()
      const isOver = type === 'Q' || type === 'S'
      if (!isOver) return void reply.push(answers[type] ?? Buffer.alloc(0))
      const answer = type === 'Q' ? [isLook ? lookAnswer() : complete] : reply
      reply = []
      if (isLook) socket.write(Buffer.concat([...answer, ready]))
      else end(answer)
    }
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk])
      for (;;) {
        const at = hasBegun ? 1 : 0
        if (pending.length < at + 4) return
        const length = at + pending.readInt32BE(at)
        if (pending.length < length) return
        const type = String.fromCharCode(pending[0]!)
        pending = pending.subarray(length)
        if (hasBegun) receive(type)
        else begin()
      }
    })
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    serve(socket)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  return {
    url: `postgresql://ergon_app@127.0.0.1:${port}/ergon`,
    fatals: () => fatals,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
