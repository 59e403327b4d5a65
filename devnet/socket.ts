import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const bodyBytesMax = 4 * 1024 * 1024

/** Listens on the host and port; rejects when the port is taken. */
export async function listenOn(
  { host, port }: { host: string; port: number },
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; server: Server }> {
  const server = createServer(answer)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return { url: `http://${host}:${(server.address() as AddressInfo).port}`, server }
}

/** The whole body as text; undefined when it is too large. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= bodyBytesMax) chunks.push(chunk)
  }
  return length > bodyBytesMax ? undefined : Buffer.concat(chunks).toString('utf8')
}

export function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

export function isLoopback({ socket }: IncomingMessage): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')
}
