import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { Network } from '../../service/webhooks/index.ts'

/** Key and certificate of *.receiver.test, only for tests. */
export const RECEIVER_PEM = readFileSync(join(import.meta.dirname, 'receiver.pem'), 'utf8')
/** A public address that the test network maps to this machine; nothing is sent to it. */
const PUBLIC_ADDRESS = '93.184.216.34'

export type Received = {
  path: string
  headers: IncomingHttpHeaders
  body: string
  atMs: number
  /** The connection's remote port, which identifies the connection. */
  connection: number
}
export type Behaviour = (request: IncomingMessage, response: ServerResponse, got: Received) => void

export type Receiver = {
  /** A URL of a path on this receiver, with a host name that its certificate covers. */
  url(path: string, name?: string): string
  /** The requests received at a path. */
  at(path: string): Received[]
  /** Sets how a path answers; 200 by default. */
  behave(path: string, behaviour: Behaviour): void
  close(): Promise<void>
}

export const answering =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (_request, response) => {
    response.writeHead(status, headers).end()
  }

/** Never answers. */
export const hang: Behaviour = () => {}

export const reset: Behaviour = (request) => {
  request.socket.destroy()
}

/** Answers 200 and then one byte at a time without end. */
export const drip: Behaviour = (_request, response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write('x'), 200)
  response.on('close', () => clearInterval(timer))
}

/** Answers 200 and then data without end. */
export const endless: Behaviour = (_request, response) => {
  response.writeHead(200)
  const write = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  }
  response.on('drain', write)
  write()
}

/** An HTTPS server on loopback, on the given port or a free one. */
export async function openReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = []
  const behaviours = new Map<string, Behaviour>()
  const sockets = new Set<Duplex>()
  const server = createServer({ key: RECEIVER_PEM, cert: RECEIVER_PEM }, (request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { url: path = '', headers, socket } = request
      const connection = socket.remotePort ?? 0
      const got = { path, headers, body, atMs: performance.now(), connection }
      received.push(got)
      const behaviour = behaviours.get(path) ?? answering(200)
      behaviour(request, response, got)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((up) => server.listen(port, '127.0.0.1', up))
  const bound = (server.address() as AddressInfo).port
  return {
    url: (path, name = 'hooks.receiver.test') => `https://${name}:${bound}${path}`,
    at: (path) => received.filter((one) => one.path === path),
    behave: (path, behaviour) => behaviours.set(path, behaviour),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/**
 * Resolves names as the test says, otherwise to the public address that is mapped to this machine.
 */
export function testNetwork(names: Record<string, string[]> = {}): Network & {
  /** Names that were resolved. */
  asked: string[]
  names: Record<string, string[]>
  /** Addresses that were connected to. */
  dialled: string[]
} {
  const asked: string[] = []
  const dialled: string[] = []
  return {
    asked,
    names,
    dialled,
    async resolve(name) {
      asked.push(name)
      return names[name] ?? (name.endsWith('receiver.test') ? [PUBLIC_ADDRESS] : [])
    },
    dial(address) {
      dialled.push(address)
      return '127.0.0.1'
    },
    ca: RECEIVER_PEM,
  }
}
