import { connect } from 'node:net'
import { stretched } from './stretched.ts'

export type RawAnswer = { status: number; head: string; body: string; hung: boolean }

/**
 * Sends bytes as they are and reads until the server closes the connection; a server that does not
 * close in time left it hanging. A request that expects an answer sends `Connection: close`; an
 * `abandoned` one stops in the middle, and the server has to notice.
 */
export function sendRaw(
  url: string,
  bytes: string | Buffer,
  { withinMs = 10_000, abandoned = false } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname)
    const finish = (hung: boolean) => {
      socket.destroy()
      const received = Buffer.concat(chunks).toString('latin1')
      const text = received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
      const [head = '', ...rest] = text.split('\r\n\r\n')
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)
      const length = /^content-length: (\d+)/im.exec(head)?.[1]
      // A second answer may follow when the bytes after the first request are invalid.
      const body = rest.join('\r\n\r\n').slice(0, length === undefined ? undefined : Number(length))
      const chunked = /transfer-encoding: chunked/i.test(head)
      resolve({ status, head, body: chunked ? withoutChunks(body) : body, hung })
    }
    socket.setTimeout(stretched(withinMs), () => finish(true))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', () => finish(false))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that has answered may reset the connection while we still send.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') finish(false)
      else reject(error)
    })
    socket.write(bytes)
    if (abandoned) socket.end()
  })
}

function withoutChunks(body: string): string {
  const [size = '0', ...rest] = body.split('\r\n')
  const length = Number.parseInt(size, 16)
  const text = rest.join('\r\n')
  return length > 0 ? text.slice(0, length) + withoutChunks(text.slice(length + 2)) : ''
}
