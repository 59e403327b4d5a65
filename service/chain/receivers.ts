import { type HexAddress, type NodeClient, NodeTrouble } from '@ergon/tron'
import { within } from '../kernel/index.ts'

/** Whether an address can receive Energy: the chain refuses contracts and unknown accounts. */
export type ReceiverState = 'able' | 'not_activated' | 'contract' | 'unknown'

export type Receivers = {
  stateOf(address: HexAddress): Promise<ReceiverState>
  /** Whether a solid block has the account: then its state never changes. */
  isSolid(address: HexAddress): boolean
}

const LOOK_UP_MS = 150
const KNOWN_MAX = 200_000

/**
 * A wallet or a contract in a solid block stays what it is, and is cached. The head of a node also shows
 * accounts that are only pending: such a wallet may receive, because the chain decides in the end, but
 * nothing is concluded from it. Concurrent callers share a look-up; a slow node must not delay a
 * purchase, and is asked for the next one meanwhile.
 */
export function createReceivers(node: NodeClient, lookUpMs = LOOK_UP_MS): Receivers {
  const known = new Map<HexAddress, 'able' | 'contract'>()
  const asking = new Map<HexAddress, Promise<ReceiverState>>()

  async function ask(address: HexAddress): Promise<ReceiverState> {
    try {
      const [atHead, account] = await Promise.all([
        node.getAccount(address),
        node.getSolidAccount(address),
      ])
      if (!atHead) return 'not_activated'
      if (!account) return atHead.isContract ? 'unknown' : 'able'
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
    isSolid: (address) => known.has(address),
    async stateOf(address) {
      const state = known.get(address)
      if (state) return state
      let answer = asking.get(address)
      if (!answer) {
        answer = ask(address)
        asking.set(address, answer)
      }
      return within<ReceiverState>(lookUpMs, answer, 'unknown')
    },
  }
}
