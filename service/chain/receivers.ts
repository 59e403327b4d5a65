import { type HexAddress, type NodeClient, NodeTrouble } from '@ergon/tron'
import { within } from '../kernel/index.ts'

/** Whether an address can receive Energy: the chain refuses contracts and unknown accounts. */
export type ReceiverState = 'able' | 'not_activated' | 'contract' | 'unknown'

export type Receivers = { stateOf(address: HexAddress): Promise<ReceiverState> }

const LOOK_UP_MS_MAX = 150
const KNOWN_MAX = 200_000

/**
 * `able` is permanent, so it is cached. An unknown address costs one look-up, shared by concurrent
 * callers; a slow node must not delay a purchase.
 */
export function createReceivers(node: NodeClient): Receivers {
  const able = new Set<HexAddress>()
  const asking = new Map<HexAddress, Promise<ReceiverState>>()

  async function ask(address: HexAddress): Promise<ReceiverState> {
    try {
      const account = await node.getAccount(address)
      if (!account) return 'not_activated'
      if (account.isContract) return 'contract'
      if (able.size >= KNOWN_MAX) able.clear()
      able.add(address)
      return 'able'
    } catch (error) {
      if (error instanceof NodeTrouble) return 'unknown'
      throw error
    } finally {
      asking.delete(address)
    }
  }

  return {
    async stateOf(address) {
      if (able.has(address)) return 'able'
      let answer = asking.get(address)
      if (!answer) {
        answer = ask(address)
        asking.set(address, answer)
      }
      return within<ReceiverState>(LOOK_UP_MS_MAX, answer, 'unknown')
    },
  }
}
