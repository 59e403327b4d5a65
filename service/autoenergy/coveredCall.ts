import { STANDING_ENERGY } from '../delivery/index.ts'

export type EnergyClass = '65k' | '131k'

/** A contract call of a covered address, as its receipt has it. */
export type CoveredCall = {
  txid: string
  block: bigint
  time: Date
  position: bigint
  result: string
  energy: bigint
  burned: bigint
  feeLimit: bigint
}

const SMALL_MAX = 65_000n

/**
 * The class a call is billed by; undefined when it costs nothing. Where it would have fitted into the
 * standing Energy and burned TRX all the same, ours was short: one class less. A call that ran out of
 * Energy below its own fee limit was stopped by us as well, unless it had the whole level and more.
 */
export function billedClass(call: CoveredCall, energyPrice: bigint): EnergyClass | undefined {
  const { energy, burned, feeLimit, result } = call
  const fits = energy <= STANDING_ENERGY
  const belowOwnLimit = energy < feeLimit / energyPrice
  if (result === 'OUT_OF_ENERGY' && belowOwnLimit && fits) return undefined
  const small = energy <= SMALL_MAX
  if (fits && burned > 0n) return small ? undefined : '65k'
  return small ? '65k' : '131k'
}
