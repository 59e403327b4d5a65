import { type Devnet, startDevnet } from '@ergon/devnet'
import { sandboxGenesis } from '../../service/app/sandboxNetwork.ts'
import {
  type MovableClock,
  type Runtime,
  systemClock,
  systemRuntime,
} from '../../service/kernel/index.ts'
import { SOLID_LAG } from './solidLag.ts'

/** The real network's interval between blocks. */
export const BLOCK_MS = 3_000

/** A devnet and clocks on one time that the test advances. */
export type PassingTime = {
  devnet: Devnet
  /** A runtime for each process. */
  newRuntime(): Runtime & { clock: MovableClock }
  /** Advances time; the chain makes a block every three seconds of it. */
  pass(seconds: number): void
  /** So much time passes with a single block at its end. */
  skip(seconds: number): void
}

/**
 * Time that passes as on the real network. `POST /sandbox/clock` differs: the service knows about
 * that change.
 */
export async function openPassingTime(): Promise<PassingTime> {
  let passedMs = 0
  const devnet = await startDevnet({
    genesis: sandboxGenesis,
    blockMs: 0,
    solidLag: SOLID_LAG,
    now: () => Date.now() + passedMs,
  })
  return {
    devnet,
    newRuntime() {
      const system = systemClock()
      return systemRuntime({
        ...system,
        now: () => new Date(system.now().getTime() + passedMs),
        elapsedMs: () => system.elapsedMs() + passedMs,
      })
    },
    pass(seconds) {
      for (let leftMs = seconds * 1_000; leftMs > 0; leftMs -= BLOCK_MS) {
        passedMs += Math.min(leftMs, BLOCK_MS)
        devnet.chain.mine()
      }
    },
    skip(seconds) {
      passedMs += seconds * 1_000
      devnet.chain.mine()
    },
  }
}
