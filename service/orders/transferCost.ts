import { type Refusal, refuse } from '@ergon/contract'
import { type HexAddress, NodeTrouble } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import { type Clock, type Sun, sun } from '../kernel/index.ts'
import type { Pricing } from '../pricing/index.ts'

export type TokenTransfer = { from: HexAddress; to: HexAddress; token: HexAddress }

export type TransferCost = {
  energy: bigint
  energyClass: '65k' | '131k'
  price: Sun
  burnCost: Sun
  receiverActivated: boolean
  receiverHoldsToken: boolean
}

const CLASS_65K_MAX = 65_000n
/** How long the Energy fee is cached; the network changes it a few times a year. */
const FEE_MS_MAX = 60_000
const UNREACHABLE = 'The network cannot be asked right now; try again shortly.'

/**
 * Simulates a token transfer on the head of the chain. It sends the smallest amount: the Energy of a
 * transfer does not depend on the amount, and every holder can send that much.
 */
export function createTransferCost({
  chain: { node },
  clock,
  pricing,
}: {
  chain: Chain
  clock: Clock
  pricing: Pricing
}): (transfer: TokenTransfer) => Promise<TransferCost | Refusal> {
  let fee: { sun: bigint; readMs: number } | undefined

  async function energyFee(): Promise<bigint> {
    const nowMs = clock.elapsedMs()
    if (fee && nowMs - fee.readMs < FEE_MS_MAX) return fee.sun
    const found = (await node.getChainParameters()).get('getEnergyFee')
    if (found === undefined) throw new NodeTrouble('malformed', 'no getEnergyFee')
    fee = { sun: found, readMs: nowMs }
    return found
  }

  const call = (ownerAddress: HexAddress, contractAddress: HexAddress, data: string) =>
    node.triggerConstantContract({ ownerAddress, contractAddress, data })

  async function holds(token: HexAddress, holder: HexAddress): Promise<boolean> {
    const answer = await call(holder, token, `70a08231${word(holder)}`)
    return answer.ran && !answer.reverted && /[1-9a-f]/.test(answer.constantResult[0] ?? '')
  }

  async function simulate({ from, to, token }: TokenTransfer): Promise<TransferCost | Refusal> {
    const [sent, receiver, receiverHoldsToken, feeSun] = await Promise.all([
      call(from, token, `a9059cbb${word(to)}${'1'.padStart(64, '0')}`),
      node.getAccount(to),
      holds(token, to),
      energyFee(),
    ])
    if (!sent.ran) return because('token is not a contract that can be called.')
    if (sent.reverted || sent.energyUsed === 0n) {
      return (await holds(token, from))
        ? because('The token refuses this transfer, so it would fail on the chain.')
        : because('from holds none of this token, so the transfer would fail on the chain.')
    }
    const energy = sent.energyUsed
    const { minAmount } = pricing.terms()
    const ordered = energy < minAmount ? minAmount : energy
    return {
      energy,
      energyClass: energy <= CLASS_65K_MAX ? '65k' : '131k',
      price: sun(ordered * pricing.unitPrice()),
      burnCost: sun(energy * feeSun),
      receiverActivated: receiver !== undefined,
      receiverHoldsToken,
    }
  }

  return async (transfer) => {
    try {
      return await simulate(transfer)
    } catch (error) {
      if (!(error instanceof NodeTrouble)) throw error
      return refuse('service_unavailable', { message: UNREACHABLE })
    }
  }
}

/** An address as a word of call data: the 20 bytes without the network's 41. */
function word(address: HexAddress): string {
  return address.slice(2).padStart(64, '0')
}

function because(message: string): Refusal {
  return refuse('validation_error', { message })
}
