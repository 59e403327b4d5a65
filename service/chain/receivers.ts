import { type HexAddress, type NodeClient, NodeTrouble } from '@ergon/tron'
import { within } from '../kernel/index.ts'

/** Whether an address can receive Energy: the chain refuses contracts and unknown accounts. */
export type ReceiverState = 'able' | 'not_activated' | 'contract' | 'unknown'

export type Receivers = { stateOf(address: HexAddress): Promise<ReceiverState> }

const LOOK_UP_MS_MAX = 150
const KNOWN_MAX = 200_000

/**
 * What an address is stays: a wallet and a contract are cached. Another one costs one look-up, shared
 * by concurrent callers; a slow node must not delay a purchase, and is asked for the next one meanwhile.
 */
export function createReceivers(node: NodeClient): Receivers {
  const known = new Map<HexAddress, 'able' | 'contract'>()
  const asking = new Map<HexAddress, Promise<ReceiverState>>()

  async function ask(address: HexAddress): Promise<ReceiverState> {
    try {
      const account = await node.getAccount(address)
      if (!account) return 'not_activated'
      const state = account.isContract ? 'contract' : 'able'
      if (known.size >= KNOWN_MAX) known.clear()
      known.set(address, state)
      return state
    } catch (error) {
      if (error instanceof NodeTrouble) return 'unknown'
      throw error
    } finally {
      asking.delete(address)
    }
  }

  return {
    async stateOf(address) {
      const state = known.get(address)
      if (state) return state
      let answer = asking.get(address)
      if (!answer) {
        answer = ask(address)
        asking.set(address, answer)
      }
      return within<ReceiverState>(LOOK_UP_MS_MAX, answer, 'unknown')
    },
  }
}
