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
 * The class by which a call is billed; undefined when it is free. A call that fits the standing Energy
 * and still burned TRX is billed one class lower, because our Energy was short. So is a call that ran
 * out of Energy below its own fee limit, unless it used the whole level and more.
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
