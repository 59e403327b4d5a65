import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A network connection between a process and a database server, with faults. */
export type Wire = {
  port: number
  /** Breaks every connection, and refuses new ones until it is repaired. */
  cut(): void
  /** Delays all data by this much, in order. */
  slow(ms: number): void
  /** Accepts all bytes and delivers none, without an error on either side. */
  swallow(): void
  mend(): void
  close(): void
}

export async function openWire(socketFile: string): Promise<Wire> {
  const pairs = new Set<[Socket, Socket]>()
  let delayMs = 0
  let isCut = false
  let swallows = false

  const breakAll = () => {
    for (const [near, far] of pairs) {
      near.resetAndDestroy()
      far.destroy()
    }
  }
  const server: Server = createServer((near) => {
    if (isCut) return void near.resetAndDestroy()
    const far = connect(socketFile)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const [from, to] of [pair, [far, near] as const]) {
      let order = Promise.resolve()
      from.on('data', (data) => {
        if (swallows) return
        if (delayMs === 0) {
          order = order.then(() => void to.write(data))
          return
        }
        const until = performance.now() + delayMs
        order = order.then(async () => {
          await pause(Math.max(0, until - performance.now()))
          if (!to.destroyed) to.write(data)
        })
      })
      from.on('error', end).on('close', end)
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      isCut = true
      breakAll()
    },
    slow(ms) {
      delayMs = ms
    },
    swallow() {
      swallows = true
    },
    mend() {
      // Connections that lost bytes cannot continue.
      if (swallows) breakAll()
      isCut = false
      swallows = false
      delayMs = 0
    },
    close() {
      server.close()
      breakAll()
    },
  }
}
