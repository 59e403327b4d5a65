import type { HexAddress, NodeClient } from '@ergon/tron'

/** What becomes of a transfer to the deposit address: credited, late by 3 minutes of the chain's time, never, or with a fee off. */
export const topUpFates = ['credited', 'late', 'never', 'other'] as const

export type TopUpFate = (typeof topUpFates)[number]

export type TopUp = { txid: string; from: HexAddress; amount: bigint; credited: bigint }

/** `late` credits this much later, by the chain's time. */
const lateMs = 180_000
/** `other` credits so much less. */
const fee = 1_000_000n

type Waiting = TopUp & { due: number }

/**
 * Reads solid blocks for transfers to the deposit address. A fork takes nothing back of what is credited. What was sent
 * before the stand-in began to look is not seen.
 */
export function createTopUps(node: NodeClient, address: HexAddress) {
  const seen: TopUp[] = []
  let next: number | undefined
  let waiting: Waiting[] = []
  let collecting: Promise<bigint> | undefined

  async function read(fate: () => TopUpFate): Promise<bigint> {
    const solid = await node.getSolidBlock()
    next ??= solid.number + 1
    for (; next <= solid.number; next += 1) {
      const block = await node.getSolidBlockByNum(next)
      if (!block) break
      for (const { txId: txid, contract } of block.transactions) {
        const { type, value } = contract
        if (type !== 'TransferContract' || value.to_address !== address) continue
        const topUp = { txid, from: value.owner_address, amount: value.amount, credited: 0n }
        seen.push(topUp)
        const how = fate()
        if (how === 'never') continue
        const due = block.timestamp + (how === 'late' ? lateMs : 0)
        const credited = how === 'other' ? value.amount - fee : value.amount
        waiting.push({ ...topUp, due, credited })
      }
    }
    const due = waiting.filter((one) => one.due <= solid.timestamp)
    waiting = waiting.filter((one) => !due.includes(one))
    for (const { txid, credited } of due) {
      seen.find((one) => one.txid === txid)!.credited = credited
    }
    return due.reduce((sum, { credited }) => sum + credited, 0n)
  }

  return {
    /** Everything that came to the deposit address, with what was credited. */
    seen: seen as readonly TopUp[],
    /** What is to be added to the balance now. One look at a time. */
    async collect(fate: () => TopUpFate): Promise<bigint> {
      while (collecting) await collecting.catch(() => {})
      const reading = read(fate)
      collecting = reading
      try {
        return await reading
      } finally {
        collecting = undefined
      }
    },
  }
}
