import { type Refusal, refuse } from '@ergon/contract'
import { type HexAddress, NodeTrouble } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import { type Sun, sun } from '../kernel/index.ts'
import type { Pricing } from '../pricing/index.ts'

/** `isUsdt`: its classes are known, so that there is an answer without the chain. */
export type TokenTransfer = {
  from: HexAddress
  to: HexAddress
  token: HexAddress
  isUsdt: boolean
}

export type TransferCost = {
  energy: bigint
  energyClass: EnergyClass
  energySource: 'chain' | 'table'
  price: Sun
  burnCost: Sun
  receiverActivated: boolean
  receiverHoldsToken: boolean
}

type EnergyClass = '65k' | '131k'

/** The usual Energy of a USDT transfer, while the chain cannot be asked. */
const TABLE: Readonly<Record<EnergyClass, bigint>> = { '65k': 65_000n, '131k': 131_000n }
const UNREACHABLE = 'The network cannot be asked right now; try again shortly.'

/**
 * Simulates a token transfer on the head of the chain, with the penalty that the contract has now: it
 * changes every six hours. It sends the smallest amount: the Energy of a transfer does not depend on the
 * amount, and every holder can send that much.
 */
export function createTransferCost({
  chain,
  pricing,
}: {
  chain: Chain
  pricing: Pricing
}): (transfer: TokenTransfer) => Promise<TransferCost | Refusal> {
  const { node } = chain

  const call = (ownerAddress: HexAddress, contractAddress: HexAddress, data: string) =>
    node.triggerConstantContract({ ownerAddress, contractAddress, data })

  async function holds(token: HexAddress, holder: HexAddress): Promise<boolean> {
    const answer = await call(holder, token, `70a08231${word(holder)}`)
    return answer.ran && !answer.reverted && /[1-9a-f]/.test(answer.constantResult[0] ?? '')
  }

  async function simulate({ from, to, token }: TokenTransfer): Promise<bigint | Refusal> {
    const sent = await call(from, token, `a9059cbb${word(to)}${'1'.padStart(64, '0')}`)
    if (!sent.ran) return because('token is not a contract that can be called.')
    if (!sent.reverted && sent.energyUsed > 0n) return sent.energyUsed
    return (await holds(token, from))
      ? because('The token refuses this transfer, so it would fail on the chain.')
      : because('The sender holds none of this token, so the transfer would fail on the chain.')
  }

  async function costOf(transfer: TokenTransfer): Promise<TransferCost | Refusal> {
    const { to, token, isUsdt } = transfer
    // Of a token without a table a trouble is the answer.
    const tried = <T>(asked: Promise<T>) => (isUsdt ? asked.catch(unlessFault) : asked)
    const [simulated, receiver, held, feeSun] = await Promise.all([
      tried(simulate(transfer)),
      tried(node.getSolidAccount(to)),
      tried(holds(token, to)),
      chain.energyPrice(),
    ])
    if (typeof simulated === 'object') return simulated
    const isKnown = simulated !== undefined && held !== undefined
    const energy = isKnown ? simulated : TABLE[held ? '65k' : '131k']
    const { minAmount } = pricing.terms()
    const ordered = energy < minAmount ? minAmount : energy
    return {
      energy,
      energyClass: energy <= TABLE['65k'] ? '65k' : '131k',
      energySource: isKnown ? 'chain' : 'table',
      price: sun(ordered * pricing.unitPrice()),
      burnCost: sun(energy * feeSun),
      receiverActivated: receiver !== undefined,
      receiverHoldsToken: held ?? false,
    }
  }

  return async (transfer) => {
    try {
      return await costOf(transfer)
    } catch (error) {
      if (!(error instanceof NodeTrouble)) throw error
      return refuse('service_unavailable', { message: UNREACHABLE })
    }
  }
}

function unlessFault(error: unknown): undefined {
  if (!(error instanceof NodeTrouble)) throw error
}

/** An address as a word of call data: the 20 bytes without the network's 41. */
function word(address: HexAddress): string {
  return address.slice(2).padStart(64, '0')
}

function because(message: string): Refusal {
  return refuse('validation_error', { message })
}
