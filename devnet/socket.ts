import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const bodyBytesMax = 4 * 1024 * 1024
// As long as a node keeps a silent connection. A devnet that makes a thousand blocks at once answers
// nothing meanwhile, and Node's own 5 s would end the connections of all clients then.
const idleMs = 30_000

/** Listens on the host and port; rejects when the port is taken. */
export async function listenOn(
  { host, port }: { host: string; port: number },
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; server: Server }> {
  const server = createServer(answer)
  server.keepAliveTimeout = idleMs
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

/** Jetty's own page for a path or method that no servlet has. */
export function sendErrorPage(response: ServerResponse, status: number, reason: string): void {
  const body = [
    '<html>',
    '<head>',
    '<meta http-equiv="Content-Type" content="text/html;charset=ISO-8859-1"/>',
    `<title>Error ${status} ${reason}</title>`,
    '</head>',
    `<body><h2>HTTP ERROR ${status} ${reason}</h2></body>`,
    '</html>',
    '',
  ].join('\n')
  response.writeHead(status, {
    'content-type': 'text/html;charset=iso-8859-1',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

export function isLoopback({ socket }: IncomingMessage): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')
}
