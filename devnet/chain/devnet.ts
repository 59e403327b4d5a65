import { Receivers } from '../receivers.ts'
import { TelegramStandIn } from '../telegram.ts'
import type { Chain } from './chain.ts'
import { type ChainOptions, createChain, resetChain } from './createChain.ts'
import { Faults } from './faults.ts'
import { listen } from './http/server.ts'

export type DevnetOptions = ChainOptions & {
  /** 0 takes any free port. */
  port?: number
  host?: string
  /** Milliseconds between blocks, 3000 by default; 0 makes blocks only when asked to. */
  blockMs?: number
}

export type Devnet = {
  url: string
  /** Another object after a reset. */
  readonly chain: Chain
  faults: Faults
  /** A stand-in of Telegram's Bot API at `telegramUrl`, for the token `telegramToken`. */
  telegram: TelegramStandIn
  telegramUrl: string
  close(): Promise<void>
}

/** A chain with its HTTP API and its timer. */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  const { port = 0, host = '127.0.0.1', blockMs = 3000, ...chainOptions } = options
  let chain: Chain
  const faults = new Faults()
  const reset = () => {
    chain.close()
    if (chainOptions.dataDir) resetChain(chainOptions.dataDir)
    chain = createChain(chainOptions)
    faults.set({})
  }
  const control = { chain: () => chain, faults, reset }
  const telegram = new TelegramStandIn()
  const parts = { chain: () => chain, faults, control, receivers: new Receivers(), telegram }
  // The port before the folder: a second devnet that is started by mistake must not touch the
  // files of the first. No request is read before this turn of the event loop ends.
  const { url, server } = await listen(parts, { host, port })
  try {
    chain = createChain(chainOptions)
  } catch (error) {
    server.close()
    throw error
  }
  // A restarted chain has an old head: without this nobody would see its time for `blockMs`.
  if (blockMs > 0) chain.mine()
  const stopMining = blockMs > 0 ? mineEvery(blockMs, () => chain.mine()) : () => {}
  return {
    url,
    get chain() {
      return chain
    },
    faults,
    telegram,
    telegramUrl: `${url}/telegram`,
    close() {
      stopMining()
      const closed = new Promise<void>((resolve) => {
        server.close(() => {
          chain.close()
          resolve()
        })
      })
      server.closeAllConnections()
      return closed
    },
  }
}

/** Ticks on a fixed cadence: a late tick does not delay those after it. */
function mineEvery(ms: number, mine: () => void): () => void {
  let due = performance.now() + ms
  let timer: NodeJS.Timeout
  const wait = () => {
    timer = setTimeout(tick, Math.max(0, due - performance.now()))
  }
  const tick = () => {
    mine()
    due += ms
    // After a pause of the whole process the missed slots are skipped, as on the real chain.
    if (due < performance.now()) due = performance.now() + ms
    wait()
  }
  wait()
  return () => clearTimeout(timer)
}
