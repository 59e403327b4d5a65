import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { RECEIVER_PEM } from '../testing/receiver.ts'

/** Sent a number, it answers with the wall times of that many requests, once they have arrived. */
export type Arrivals = number[]

// A receiver of webhooks that reads the body and answers 200, with keep-alive. A separate process,
// so that it costs every sender the same.
let arrivals: Arrivals = []
let wanted = Number.POSITIVE_INFINITY

const server = createServer({ key: RECEIVER_PEM, cert: RECEIVER_PEM }, (request, response) => {
  request.resume()
  request.on('end', () => {
    arrivals.push(performance.timeOrigin + performance.now())
    response.writeHead(200).end()
    answer()
  })
})
server.keepAliveTimeout = 60_000

function answer() {
  if (arrivals.length < wanted) return
  process.send!(arrivals)
  arrivals = []
  wanted = Number.POSITIVE_INFINITY
}

process.on('message', (count: number) => {
  wanted = count
  answer()
})
process.once('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
