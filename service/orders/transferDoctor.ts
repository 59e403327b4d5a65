import { type Refusal, refuse } from '@ergon/contract'
import { NodeTrouble, type TransactionInfo } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import { type Clock, formatTrx, type Sun, sun } from '../kernel/index.ts'
import type { Pricing } from '../pricing/index.ts'
import { createReceipts } from './receipts.ts'

/** Why a transfer failed or burned TRX. */
export type Diagnosis = {
  verdict: Verdict
  message: string
  energyNeeded: bigint
  energyHad: bigint
  burned: Sun
  priceWithEnergy: Sun
}

type Verdict =
  | 'out_of_energy'
  | 'reverted'
  | 'failed'
  | 'energy_burned'
  | 'bandwidth_burned'
  | 'covered'
  | 'no_energy_needed'

export type TransferDoctor = (txid: string) => Promise<Diagnosis | Refusal>

const UNREACHABLE = 'The network cannot be asked right now; try again shortly.'
const BUSY = 'Too many transfers are being looked up right now; try again shortly.'
const UNKNOWN =
  'No block has this transaction. If it was just sent, ask again in a few seconds; else check the id.'
const TXID = /^[0-9a-f]{64}$/

/** Reads the receipt of a transaction, and simulates again what had to stop for lack of Energy. */
export function createTransferDoctor(deps: {
  chain: Pick<Chain, 'node' | 'progress'>
  pricing: Pick<Pricing, 'terms' | 'unitPrice'>
  clock: Clock
}): TransferDoctor {
  const { pricing } = deps
  const receiptOf = createReceipts(deps)

  function priceOf(energy: bigint): Sun {
    if (energy === 0n) return sun(0n)
    const { minAmount } = pricing.terms()
    return sun((energy < minAmount ? minAmount : energy) * pricing.unitPrice())
  }

  async function diagnose(txid: string): Promise<Diagnosis | Refusal> {
    const asked = TXID.test(txid) ? receiptOf(txid) : undefined
    if (asked === 'busy') return refuse('service_unavailable', { message: BUSY })
    const receipt = await asked
    if (!receipt) return refuse('not_found', { message: UNKNOWN })
    const { info, energyNeeded } = receipt
    const found = {
      verdict: verdictOf(info),
      energyNeeded,
      energyHad: info.receipt.energyUsage,
      burned: sun(info.fee),
      priceWithEnergy: priceOf(energyNeeded),
    }
    return { ...found, message: messageOf(found, info) }
  }

  return async (txid) => {
    try {
      return await diagnose(txid)
    } catch (error) {
      if (!(error instanceof NodeTrouble)) throw error
      return refuse('service_unavailable', { message: UNREACHABLE })
    }
  }
}

function verdictOf({ receipt, failed }: TransactionInfo): Verdict {
  // Only calls of contracts have a result.
  if (receipt.result === undefined)
    return receipt.netFee > 0n ? 'bandwidth_burned' : 'no_energy_needed'
  if (receipt.result === 'OUT_OF_ENERGY') return 'out_of_energy'
  if (receipt.result === 'REVERT') return 'reverted'
  if (failed || receipt.result !== 'SUCCESS') return 'failed'
  if (receipt.energyFee > 0n) return 'energy_burned'
  return receipt.netFee > 0n ? 'bandwidth_burned' : 'covered'
}

function messageOf(found: Omit<Diagnosis, 'message'>, { receipt }: TransactionInfo): string {
  const { energyNeeded, energyHad, burned, priceWithEnergy } = found
  const [needs, had] = [grouped(energyNeeded), grouped(energyHad)]
  const [trx, price] = [formatTrx(burned), formatTrx(priceWithEnergy)]
  switch (found.verdict) {
    case 'out_of_energy':
      return `The transfer failed: it needs ${needs} Energy, the wallet had ${had}, and its fee limit or its TRX did not cover the rest. Nothing was transferred; ${trx} TRX were burned. With Energy for ${price} TRX it would have gone through.`
    case 'reverted':
      return `The contract refused the transfer: too little of the token, or a rule of the contract. More Energy would not have helped. ${trx} TRX were burned.`
    case 'failed':
      return `The transfer failed in the contract (${receipt.result}). More Energy would not have helped. ${trx} TRX were burned.`
    case 'energy_burned':
      return `The transfer went through. It needed ${needs} Energy, the wallet had ${had}, and ${trx} TRX were burned. With Energy it would have cost ${price} TRX.`
    case 'bandwidth_burned':
      return `The transfer went through and burned nothing for Energy; ${trx} TRX were burned for bandwidth, or because the receiver was new. Energy does not change that.`
    case 'covered':
      return `The transfer went through on Energy of the wallet (${had}), and nothing was burned.`
    case 'no_energy_needed':
      return 'This transfer calls no contract, so it needs no Energy.'
  }
}

const grouped = (number: bigint) => number.toLocaleString('en')
