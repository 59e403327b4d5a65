import { connect, type Socket } from 'node:net'

/** One request of a load, written as bytes, so that the generator costs little. */
export type LoadRequest =
  | { kind: 'get'; targets: { path: string; key: string }[] }
  | { kind: 'buy'; keys: string[]; receivers: string[]; amount: number; run: string }

export type LoadOptions = {
  /** Several ports share the connections. */
  ports: number[]
  connections: number
  seconds: number
  requests: LoadRequest
}

export type Measured = {
  perSecond: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
  count: number
}

/** The most answers timed in one measurement, to bound the generator's memory. */
const ANSWERS_MAX = 1_000_000
const HEADERS_END = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i

/**
 * A closed loop: each connection sends its next request when it has the whole answer. A server that
 * stalls gets fewer requests meanwhile (coordinated omission), so the percentiles compare servers
 * and promise nothing to a client.
 */
export async function runLoad(options: LoadOptions): Promise<Measured> {
  const nextRequest = writerOf(options.requests)
  const latencies: number[] = []
  const started = performance.now()
  const ends = started + options.seconds * 1_000
  const goesOn = () => performance.now() < ends && latencies.length < ANSWERS_MAX
  const { ports } = options
  const connections = Array.from({ length: options.connections }, (_none, at) =>
    converse(ports[at % ports.length]!, {
      nextRequest,
      goesOn,
      record: (ms) => latencies.push(ms),
    }),
  )
  await Promise.all(connections)
  const elapsedMs = performance.now() - started
  return { ...summary(latencies), perSecond: (latencies.length / elapsedMs) * 1_000 }
}

export function summary(latenciesMs: number[]): Omit<Measured, 'perSecond'> {
  const sorted = Float64Array.from(latenciesMs).sort()
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return {
    p50Ms: at(0.5) ?? 0,
    p95Ms: at(0.95) ?? 0,
    p99Ms: at(0.99) ?? 0,
    count: sorted.length,
  }
}

type Talk = { nextRequest(): string; goesOn(): boolean; record(ms: number): void }

/**
 * One keep-alive connection. Any status but 200 ends the measurement: a refused request is cheap.
 */
function converse(port: number, { nextRequest, goesOn, record }: Talk): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let sentAt = 0
    let received = ''
    const send = () => {
      received = ''
      sentAt = performance.now()
      socket.write(nextRequest(), 'latin1')
    }
    socket.setEncoding('latin1')
    socket.once('connect', send)
    socket.once('error', reject)
    socket.on('data', (text: string) => {
      received = received === '' ? text : received + text
      if (!isWhole(received)) return
      record(performance.now() - sentAt)
      if (!received.startsWith('HTTP/1.1 200 ')) return reject(new Error(received.slice(0, 600)))
      if (goesOn()) return send()
      socket.destroy()
      resolve()
    })
    socket.once('close', () => reject(new Error('the server closed a connection')))
  })
}

function isWhole(answer: string): boolean {
  const head = answer.indexOf(HEADERS_END)
  if (head < 0) return false
  const length = LENGTH.exec(answer)
  return length !== null && answer.length >= head + HEADERS_END.length + Number(length[1])
}

function writerOf(requests: LoadRequest): () => string {
  return requests.kind === 'get' ? getWriter(requests.targets) : buyWriter(requests)
}

function getWriter(targets: { path: string; key: string }[]): () => string {
  const texts = targets.map(
    ({ path, key }) => `GET ${path} HTTP/1.1\r\nHost: bench\r\nX-API-Key: ${key}${HEADERS_END}`,
  )
  return () => oneOf(texts)
}

function buyWriter({ keys, receivers, amount, run }: LoadRequest & { kind: 'buy' }): () => string {
  const heads = keys.map(
    (key) =>
      `POST /v1/buy HTTP/1.1\r\nHost: bench\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`,
  )
  const tails = receivers.map((receiver_address) => {
    const body = JSON.stringify({ receiver_address, resource_amount: amount })
    return `Content-Length: ${body.length}${HEADERS_END}${body}`
  })
  let count = 0
  return () => `${oneOf(heads)}Idempotency-Key: ${run}-${count++}\r\n${oneOf(tails)}`
}

function oneOf<T>(list: T[]): T {
  return list[Math.floor(Math.random() * list.length)]!
}
