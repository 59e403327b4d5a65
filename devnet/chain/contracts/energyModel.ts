import type { HexAddress } from '@ergon/tron'
import { dynamicEnergy } from '../parameters.ts'
import { cycleOf } from '../rewards.ts'
import type { EnergyModel, ReadTables, WriteTables } from '../state.ts'
import type { BuiltInContract, CallResult } from './builtIn.ts'

const whole = 10_000

/** The model at the current cycle; undefined when the contract has none. */
export function energyModel(
  tables: ReadTables,
  address: HexAddress,
  { dynamic }: BuiltInContract,
): EnergyModel | undefined {
  const cycle = cycleOf(tables)
  const kept = tables.energyModels.get(address)
  if (kept) return caughtUp(kept, cycle)
  return dynamic && { ...dynamic, usage: 0n, cycle }
}

/** A setting of the sandbox; the next maintenance goes on from there. */
export type EnergyChange = { contract: HexAddress; factor: number; others: number }

export function applyChange(tables: WriteTables, change: EnergyChange): void {
  const { contract, factor, others } = change
  const model = { factor, usage: 0n, cycle: cycleOf(tables), others: BigInt(others) }
  tables.energyModels.set(contract, model)
}

export function addUsage(
  tables: WriteTables,
  address: HexAddress,
  code: BuiltInContract,
  base: bigint,
): void {
  const model = energyModel(tables, address, code)
  if (model) tables.energyModels.set(address, { ...model, usage: model.usage + base })
}

/**
 * The call with its penalty. The VM multiplies instruction by instruction and cuts the fractions
 * off; `steps` is how many instructions of 3 lose one.
 */
export function withPenalty(result: CallResult, model: EnergyModel | undefined): CallResult {
  if (!model || model.factor === 0) return result
  const factor = BigInt(model.factor)
  const lost = (result.steps ?? 0n) * ((3n * factor) % BigInt(whole))
  const penalty = divideCeil(result.energy * factor - lost, BigInt(whole))
  return { ...result, energy: result.energy + penalty, penalty }
}

function caughtUp(model: EnergyModel, cycle: bigint): EnergyModel {
  if (model.cycle >= cycle) return model
  const { threshold, increase, max } = dynamicEnergy
  const rise = (factor: number) =>
    Math.min(max, Math.trunc((factor + whole) * (1 + increase / whole)) - whole)
  let { factor, cycle: at } = model
  if (model.usage + model.others > threshold) {
    factor = rise(factor)
    at += 1n
  }
  // While others alone use more than the threshold, every cycle raises it.
  while (at < cycle && model.others > threshold && factor < max) {
    factor = rise(factor)
    at += 1n
  }
  const quiet = model.others > threshold ? 0 : Number(cycle - at)
  if (quiet > 0) {
    const fall = (1 - increase / 4 / whole) ** quiet
    factor = Math.max(0, Math.trunc((factor + whole) * fall) - whole)
  }
  return { ...model, factor, usage: 0n, cycle }
}

function divideCeil(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}
