import type { Server } from 'node:http'
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
  /** Opens two more ports, which answer as the two of a node do; 0 takes any free one. */
  nodePorts?: { full: number; solidity: number }
  /** Milliseconds between blocks, 3000 by default; 0 makes blocks only when asked to. */
  blockMs?: number
  /** Called after each new block. */
  onHead?: () => void
}

export type Devnet = {
  url: string
  /** The two ports of a node, where they were asked for. */
  node?: { url: string; solidityUrl: string }
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
  const {
    port = 0,
    host = '127.0.0.1',
    blockMs = 3000,
    nodePorts,
    onHead,
    ...chainOptions
  } = options
  let chain: Chain
  const openChain = () => {
    const opened = createChain(chainOptions)
    if (onHead) opened.onHead = onHead
    return opened
  }
  const faults = new Faults()
  const reset = () => {
    chain.close()
    if (chainOptions.dataDir) resetChain(chainOptions.dataDir)
    chain = openChain()
    faults.set({})
  }
  const control = { chain: () => chain, faults, reset }
  const telegram = new TelegramStandIn()
  const parts = { chain: () => chain, faults, control, receivers: new Receivers(), telegram }
  // The port before the folder: a second devnet that is started by mistake must not touch the
  // files of the first. No request is read before this turn of the event loop ends.
  const { url, server } = await listen(parts, { host, port, kind: 'all' })
  const servers = [server]
  let node: Devnet['node']
  try {
    if (nodePorts) {
      const full = await listen(parts, { host, port: nodePorts.full, kind: 'full' })
      servers.push(full.server)
      const solidity = await listen(parts, { host, port: nodePorts.solidity, kind: 'solidity' })
      servers.push(solidity.server)
      node = { url: full.url, solidityUrl: solidity.url }
    }
    chain = openChain()
  } catch (error) {
    for (const one of servers) one.close()
    throw error
  }
  // A restarted chain has an old head: without this nobody would see its time for `blockMs`.
  if (blockMs > 0) chain.mine()
  const stopMining = blockMs > 0 ? mineEvery(blockMs, () => chain.mine()) : () => {}
  return {
    url,
    ...(node ? { node } : {}),
    get chain() {
      return chain
    },
    faults,
    telegram,
    telegramUrl: `${url}/telegram`,
    async close() {
      stopMining()
      await Promise.all(servers.map(closed))
      chain.close()
    },
  }
}

function closed(server: Server): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  return done
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
