import {
  addressOfPrivateKey,
  buildTransaction,
  type Contract,
  encodeTransaction,
  type HexAddress,
  type NodeClient,
  sign,
  uniqueTimestamp,
} from '@ergon/tron'

/** A transaction on its way. Past `expiresAt`, by the chain's time, it is in a block or dead. */
export type Sent = { txid: string; expiresAt: number }

/** A signed transaction that lends stake. */
export type Delegation = Sent & {
  receiver: HexAddress
  energy: bigint
  stake: bigint
  bytes: Uint8Array
}

export type Delegator = ReturnType<typeof createDelegator>

const trx = 1_000_000n
/** A thousandth more than asked: others stake while the transaction travels. */
const marginParts = 1_000n

/** The staked account of a marketplace and everything it does on the chain. */
export function createDelegator(node: NodeClient, privateKey: string) {
  const owner = addressOfPrivateKey(privateKey)
  const timestamps = uniqueTimestamp()

  async function totals() {
    const resource = await node.getAccountResource(owner)
    if (!resource) throw new Error(`the stake ${owner} is not on this chain`)
    return { limit: resource.totalEnergyLimit, weight: resource.totalEnergyWeight * trx }
  }

  async function signed(contract: Contract) {
    const head = await node.getNowBlock()
    const timestamp = timestamps.next(head.timestamp)
    const built = buildTransaction(contract, { headBlock: head, timestamp })
    const signatures = [sign(built.txId, privateKey)]
    const bytes = encodeTransaction({ rawBytes: built.rawBytes, signatures })
    return { txid: built.txId, bytes, expiresAt: built.raw.expiration }
  }

  return {
    owner,

    /** What is late, over or expired goes by the time of the head block. */
    head: () => node.getNowBlock(),

    /** Energy that the stake still has room for. */
    async room(): Promise<bigint> {
      const { limit, weight } = await totals()
      const free = await node.getCanDelegatedMaxSize(owner, 'ENERGY')
      return (((free * limit) / weight) * (marginParts - 1n)) / marginParts
    },

    receiverState: async (receiver: HexAddress): Promise<'ready' | 'inactive' | 'contract'> => {
      const account = await node.getAccount(receiver)
      if (!account) return 'inactive'
      return account.isContract ? 'contract' : 'ready'
    },

    /** Signed and not sent yet. */
    async delegation(receiver: HexAddress, energy: bigint): Promise<Delegation> {
      const { limit, weight } = await totals()
      const exact = (energy * weight + limit - 1n) / limit
      const stake = exact + exact / marginParts + 1n
      const balance = stake < trx ? trx : stake
      const value = {
        owner_address: owner,
        receiver_address: receiver,
        resource: 'ENERGY' as const,
        balance,
      }
      const made = await signed({ type: 'DelegateResourceContract', value })
      return { ...made, receiver, energy, stake: balance }
    },

    /** What the node makes of it is seen in a block or not at all. */
    send: (delegation: Delegation) => node.broadcast(delegation.bytes),

    /** Chain time at which the transaction went into a block. */
    includedAt: async (txid: string): Promise<number | undefined> =>
      (await node.getTransactionInfoById(txid))?.blockTimestamp,

    /** Takes the stake back. */
    async reclaim({ receiver, stake }: Delegation): Promise<Sent> {
      const value = {
        owner_address: owner,
        receiver_address: receiver,
        resource: 'ENERGY' as const,
        balance: stake,
      }
      const { bytes, ...sent } = await signed({ type: 'UnDelegateResourceContract', value })
      await node.broadcast(bytes)
      return sent
    },
  }
}
