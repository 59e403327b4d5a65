import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/**
 * An answer waits until the request has arrived whole. After an earlier one a proxy may take the connection for free
 * and send another client's request on it, which we would read as the rest of this body. A body that is larger
 * than any of ours is not waited for: its connection is closed. A client that leaves gets no answer.
 */
export function answerAfterBody(server: FastifyInstance, bytesMax: number) {
  server.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request
    const isOver = raw.complete || raw.destroyed || !reply.raw.shouldKeepAlive
    if (isOver || !hasBody(raw)) return done(null, payload)
    const refuseMore = () => {
      raw.off('data', count).off('end', answer)
      reply.header('connection', 'close')
      done(null, payload)
    }
    const answer = () => done(null, payload)
    let bytes = 0
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > bytesMax) refuseMore()
    }
    if (lengthOf(raw) > bytesMax) return refuseMore()
    raw.on('data', count).once('end', answer)
  })
}

const lengthOf = ({ headers }: IncomingMessage) => Number(headers['content-length'] ?? 0)

const hasBody = (raw: IncomingMessage) =>
  raw.headers['transfer-encoding'] !== undefined || lengthOf(raw) > 0
