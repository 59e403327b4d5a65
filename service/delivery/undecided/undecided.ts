import type { Db } from '../../db/index.ts'
import { exactTrx, formatTrx, grouped, type Runtime } from '../../kernel/index.ts'
import { type Ending, paidFor } from '../ending/end.ts'
import { decideUndecided, readUndecided, type UndecidedRow } from './store.ts'

/** What came of an attempt; `energy` is asked for where part of it came. */
export type Decision = { as: 'delivered' | 'partial' | 'absent'; energy?: bigint | undefined }

/** What a decision books: as goodwill, and owed to the provider. */
export type Effect = { row: UndecidedRow; energy: bigint; booked: bigint; sentence: string }

export type Undecided = {
  /** Oldest first, with the evidence. */
  list(): Promise<UndecidedRow[]>
  /** What the decision would book; a sentence when it would be refused. */
  effectOf(id: string, decision: Decision): Promise<Effect | string>
  /** Books it. Returns a sentence when it is refused. */
  decide(id: string, decision: Decision, by: string, why: string): Promise<Effect | string>
}

const LIST_MAX = 500

/**
 * Attempts that neither the marketplace nor the chain can decide; an operator does, after asking the
 * marketplace. The client is already refunded: what came is booked as goodwill, what did not come not at all.
 */
export function createUndecided(deps: { db: Db; runtime: Runtime; ending: Ending }): Undecided {
  const { db, runtime, ending } = deps
  const list = () => db.query(readUndecided, [LIST_MAX])

  async function effectOf(id: string, decision: Decision): Promise<Effect | string> {
    const row = (await list()).find(({ attempt }) => attempt === id)
    if (!row) return 'Nothing undecided has this id.'
    // Before its deadline the chain may still decide it, and the order would end twice.
    if (row.state === 'open') return 'Its order is still open; it is decided after the deadline.'
    if (decision.as !== 'partial' && decision.energy !== undefined) {
      return 'Say how much came only where a part of it came.'
    }
    const energy = energyOf(row, decision)
    if (energy === undefined) {
      return `Say how much of the ${row.energy} Energy came: more than 0, and less than all.`
    }
    const booked = paidFor(row, energy)
    return { row, energy, booked, sentence: sentenceOf(row, energy, booked) }
  }

  return {
    list,
    effectOf,
    async decide(id, decision, by, why) {
      if (by.trim() === '' || why.trim() === '') return 'Say who decides it, and why.'
      const effect = await effectOf(id, decision)
      if (typeof effect === 'string') return effect
      const { row, energy } = effect
      return db.transaction(async (tx) => {
        const reason = `decided by ${by}: ${why}`
        const verdict = { state: decision.as, reason, delegated: energy }
        const attempt = { id, partId: row.partId, requestId: row.requestId }
        const ended = await ending.end(tx, [{ attempt, verdict }])
        if (ended.length === 0) return 'It has been settled meanwhile.'
        await tx.query(decideUndecided, [id, decision.as, by, why, runtime.clock.now(), energy])
        return effect
      })
    },
  }
}

/** Undefined where a part is none. */
function energyOf(row: UndecidedRow, { as, energy }: Decision): bigint | undefined {
  if (as !== 'partial') return as === 'delivered' ? row.energy : 0n
  return energy !== undefined && energy > 0n && energy < row.energy ? energy : undefined
}

function sentenceOf({ provider }: UndecidedRow, energy: bigint, booked: bigint): string {
  const refund = 'The client keeps the refund.'
  if (booked === 0n) return `${refund} Nothing is owed to ${provider}, and nothing is booked.`
  return `${refund} ${exactTrx(formatTrx(booked))} TRX for ${grouped(energy)} Energy go from cost:goodwill to asset:provider_float:${provider}.`
}
