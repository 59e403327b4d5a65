import type { TransactionInfo } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import type { Clock } from '../kernel/index.ts'

/** The receipt of a transaction, and the Energy that it needs. */
export type Receipt = { info: TransactionInfo; energyNeeded: bigint }

const KNOWN_MAX = 10_000
const SOLID_MS = 3_600_000
/** About one block: until then a transaction may enter a block, or leave it. */
const OTHER_MS = 3_000
const ASKING_MAX = 4

/**
 * Asks the node for receipts, and remembers the answers: anybody may ask without a key, and one question can cost the
 * node three calls. Callers with the same id share a question; `busy` when too many others are asked already.
 */
export function createReceipts(deps: {
  chain: Pick<Chain, 'node' | 'progress'>
  clock: Clock
}): (txid: string) => Promise<Receipt | undefined> | 'busy' {
  const { chain, clock } = deps
  const { node } = chain
  // The one that was used last is the last one.
  const known = new Map<string, { receipt: Receipt | undefined; endsMs: number }>()
  const asking = new Map<string, Promise<Receipt | undefined>>()

  /** A call that ran out of Energy shows what it had, not what it needs: only a simulation does. */
  async function neededBy({ id, blockNumber, receipt }: TransactionInfo): Promise<bigint> {
    const used = receipt.energyUsageTotal - receipt.originEnergyUsage
    if (receipt.result !== 'OUT_OF_ENERGY') return used
    const block = await node.getBlockByNum(blockNumber)
    const contract = block?.transactions.find(({ txId }) => txId === id)?.contract
    if (contract?.type !== 'TriggerSmartContract') return used
    const { owner_address, contract_address, data, call_value } = contract.value
    const again = await node.triggerConstantContract({
      ownerAddress: owner_address,
      contractAddress: contract_address,
      data,
      ...(call_value !== undefined && { callValue: call_value }),
    })
    return again.ran && !again.reverted && again.energyUsed > used ? again.energyUsed : used
  }

  async function ask(txid: string): Promise<Receipt | undefined> {
    const solidNumber = (await chain.progress())?.solidNumber ?? -1
    const info = await node.getTransactionInfoById(txid)
    const receipt = info && { info, energyNeeded: await neededBy(info) }
    const isSolid = info !== undefined && info.blockNumber <= solidNumber
    keep(txid, { receipt, endsMs: clock.elapsedMs() + (isSolid ? SOLID_MS : OTHER_MS) })
    return receipt
  }

  function keep(txid: string, answer: { receipt: Receipt | undefined; endsMs: number }) {
    known.delete(txid)
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value!)
    known.set(txid, answer)
  }

  return (txid) => {
    const answer = known.get(txid)
    if (answer && answer.endsMs > clock.elapsedMs()) {
      keep(txid, answer)
      return Promise.resolve(answer.receipt)
    }
    const shared = asking.get(txid)
    if (shared) return shared
    if (asking.size >= ASKING_MAX) return 'busy'
    const asked = ask(txid).finally(() => asking.delete(txid))
    asking.set(txid, asked)
    return asked
  }
}
