import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/**
 * An answer waits until the request has arrived whole. After an earlier one a proxy may take the connection for free
 * and send another client's request on it, which we would read as the rest of this body. A body that is larger
 * than any of ours is not waited for: its connection is closed.
 */
export function answerAfterBody(server: FastifyInstance, bytesMax: number) {
  server.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request
    const isOver = raw.complete || raw.destroyed || !reply.raw.shouldKeepAlive
    if (isOver || !hasBody(raw)) return done(null, payload)
    const end = (isWhole: boolean) => {
      raw.off('data', count).off('end', whole).off('close', broken)
      if (!isWhole) reply.header('connection', 'close')
      done(null, payload)
    }
    const whole = () => end(true)
    const broken = () => end(false)
    let bytes = Number(raw.headers['content-length'] ?? 0)
    const isTold = bytes > 0
    const count = (chunk: Buffer) => {
      if (!isTold) bytes += chunk.length
      if (bytes > bytesMax) broken()
    }
    if (bytes > bytesMax) return broken()
    raw.on('data', count).once('end', whole).once('close', broken)
  })
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
