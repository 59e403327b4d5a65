import { type HexAddress, toBase58 } from '@ergon/tron'
import type { Tx } from '../../db/index.ts'
import type { Runtime } from '../../kernel/index.ts'
import { knownMoves } from '../delivery.sql.ts'
import { noteFees } from '../fees/store.ts'
import {
  insertRecovered,
  insertRecoveredMoves,
  lockRecovered,
  lookAtStanding,
  reclaimRecovered,
  shrinkRecovered,
  standingAmong,
} from './store.ts'

/** A delegation or reclaim of our keys on the chain, in a solid block. */
export type ChainMove = {
  txid: string
  kind: 'delegate' | 'reclaim'
  owner: HexAddress
  receiver: HexAddress
  stake: bigint
  block: bigint
  at: Date
}

type Move = Omit<ChainMove, 'receiver'> & { receiver: string }

/**
 * Books moves that no row asked for: a database that went back in time has lost the orders. Their
 * delegations are taken back after their hour, like all others. Returns what was made of each; a move that
 * is missing there needs a person.
 */
export function createRecovered({ ids }: Pick<Runtime, 'ids'>) {
  async function bookDelegations(tx: Tx, moves: Move[]) {
    await tx.query(insertRecovered, columnsOf(moves))
  }

  async function bookStanding(tx: Tx, moves: Move[]) {
    if (moves.length === 0) return
    await tx.query(insertRecoveredMoves, [
      moves.map(({ txid }) => txid),
      moves.map(({ receiver }) => receiver),
      moves.map(({ kind }) => kind),
      moves.map(({ owner }) => owner),
      moves.map(({ stake }) => stake),
      moves.map(({ block }) => block),
      moves.map(() => ids.next()),
      moves.map(({ at }) => at),
    ])
    await tx.query(lookAtStanding, [moves.map(({ receiver }) => receiver)])
  }

  /** A reclaim of another size than any delegation: a trim of a subscription that is not in these books. */
  async function bookTrim(tx: Tx, { owner, receiver, stake, block, at }: Move): Promise<boolean> {
    const held = await tx.query(lockRecovered, [owner, receiver])
    let left = stake
    if (held.reduce((sum, one) => sum + one.stake, 0n) < stake) return false
    for (const one of held) {
      const part = one.stake < left ? one.stake : left
      if (part > 0n) await tx.query(shrinkRecovered, [one.txid, one.stake - part, at, block])
      left -= part
    }
    return true
  }

  return async (tx: Tx, found: readonly ChainMove[]): Promise<Map<string, string>> => {
    const made = new Map<string, string>()
    const moves = found.map((move) => ({ ...move, receiver: toBase58(move.receiver) }))
    const known = await tx.query(knownMoves, [moves.map(({ txid }) => txid)])
    for (const { txid } of known) made.set(txid, 'its row is there')
    const news = moves.filter(({ txid }) => !made.has(txid))
    const rows = await tx.query(standingAmong, [news.map(({ receiver }) => receiver)])
    const standing = new Set(rows.map(({ address }) => address))
    const delegations = news.filter(({ kind }) => kind === 'delegate')
    const ofOrders = delegations.filter(({ receiver }) => !standing.has(receiver))
    await bookDelegations(tx, ofOrders)
    for (const { txid } of ofOrders)
      made.set(txid, 'delegation without an order, taken back after its hour')
    const reclaims = news.filter(({ kind }) => kind === 'reclaim')
    const back = await tx.query(reclaimRecovered, columnsOf(reclaims))
    for (const { txid } of back) made.set(txid, 'reclaim of a delegation in the books')
    const rest = news.filter(({ txid, receiver }) => !made.has(txid) && standing.has(receiver))
    await bookStanding(tx, rest)
    for (const { txid, kind } of rest) made.set(txid, `${kind} of standing Energy`)
    for (const move of reclaims) {
      if (made.has(move.txid) || !(await bookTrim(tx, move))) continue
      made.set(move.txid, 'reclaim of a part of a delegation without an order')
    }
    const booked = moves.filter(({ txid }) => made.has(txid))
    for (const [block, of] of Map.groupBy(booked, (move) => move.block)) {
      await tx.query(noteFees, [of.map(({ txid }) => txid), block])
    }
    return made
  }
}

function columnsOf(moves: readonly Move[]) {
  return [
    moves.map(({ txid }) => txid),
    moves.map(({ owner }) => owner),
    moves.map(({ receiver }) => receiver),
    moves.map(({ stake }) => stake),
    moves.map(({ block }) => block),
    moves.map(({ at }) => at),
  ]
}
