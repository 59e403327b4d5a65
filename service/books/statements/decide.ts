import type { Db } from '../../db/index.ts'
import { exactTrx, formatTrx, type Runtime, sun } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import { type DifferenceRow, lockDifference, readDifference, writeDecision } from './decide.sql.ts'

export const DECISIONS = ['accept', 'claim', 'dismiss'] as const
export type StatementDecision = (typeof DECISIONS)[number]

/** What a decision does: `booked` goes to the marketplace's cost; negative: from it. */
export type StatementEffect = {
  row: DifferenceRow
  amount: bigint
  booked: bigint
  sentence: string
}

type Deciding = {
  id: string
  as: StatementDecision
  by: string
  why: string
  /** The difference that was shown; refused when it has changed meanwhile. */
  shown?: bigint | undefined
}

const STATES = { accept: 'accepted', claim: 'claimed', dismiss: 'dismissed' } as const

export type Decider = ReturnType<typeof createDecider>

/** A person decides a difference, once, in the transaction that books it. */
export function createDecider(deps: { db: Db; runtime: Runtime; ledger: Ledger }) {
  const { db, runtime, ledger } = deps

  function effectOf(row: DifferenceRow | undefined, as: StatementDecision) {
    if (!row) return 'No difference has this id.'
    if (row.state === 'closed') return 'It has closed itself: both sides agree.'
    if (row.state !== 'open' && row.state !== 'claimed') return `It is ${row.state} already.`
    if (row.state === 'claimed' && as === 'claim') return 'It is claimed already.'
    const amount = row.theirs - row.ours
    const booked = as === 'accept' ? amount : 0n
    const month = runtime.clock.now().toISOString().slice(0, 7)
    return { row, amount, booked, sentence: sentenceOf(row, as, month) }
  }

  return {
    /** A sentence when it would be refused. */
    effectOf: async (id: string, as: StatementDecision): Promise<StatementEffect | string> =>
      effectOf((await db.query(readDifference, [id]))[0], as),
    decide: ({ id, as, by, why, shown }: Deciding): Promise<StatementEffect | string> =>
      db.transaction(async (tx) => {
        if (by.trim() === '' || why.trim() === '') return 'Say who decides it, and why.'
        const effect = effectOf((await tx.query(lockDifference, [id]))[0], as)
        if (typeof effect === 'string') return effect
        const { row, amount, booked } = effect
        if (shown !== undefined && shown !== amount) {
          return 'The figures have changed meanwhile. Look at them again.'
        }
        await tx.query(writeDecision, [id, STATES[as], by, why, runtime.clock.now()])
        if (booked !== 0n) await ledger.transfer(tx, [moveOf(row, booked)])
        return effect
      }),
  }
}

function moveOf({ id, provider, orderId }: DifferenceRow, booked: bigint) {
  const sides = [`cost:provider:${provider}`, `asset:provider_float:${provider}`] as const
  const [from, to] = booked > 0n ? sides : [sides[1], sides[0]]
  return {
    kind: 'provider_correction' as const,
    reference: id,
    from,
    to,
    amount: sun(booked > 0n ? booked : -booked),
    description: `${provider}'s figure was accepted${orderId ? ` for its order ${orderId}` : ''}`,
  }
}

function sentenceOf(row: DifferenceRow, as: StatementDecision, month: string): string {
  const { provider, theirs, ours, day } = row
  const amount = theirs - ours
  const trx = (of: bigint) => exactTrx(formatTrx(of))
  const [cost, float] = [`cost:provider:${provider}`, `asset:provider_float:${provider}`]
  if (as === 'claim') {
    return `Nothing is booked. It stays open as a claim until a statement of ${provider} shows the credit.`
  }
  if (as === 'dismiss') {
    return `Nothing is booked: the books keep ${trx(ours)} TRX where ${provider} has ${trx(theirs)}. It is not shown again.`
  }
  const size = amount > 0n ? amount : -amount
  const [from, to] = amount > 0n ? [cost, float] : [float, cost]
  const late = day.startsWith(month)
    ? ''
    : ` The difference is of ${day}; that month stays as it is.`
  return `${trx(size)} TRX go from ${from} to ${to}, in the books of ${month}.${late}`
}
