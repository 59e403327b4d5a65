import type { Db } from '../../db/index.ts'
import { type ProvenRow, readAskedAt, readProof } from './store.ts'

/** The public facts of a delivered request, as they are on the chain. */
export type Proof = { delegations: ProvenRow[]; secondsToDelivery: number }

/** Undefined unless the request was delivered. */
export async function proofOf(db: Db, request: string): Promise<Proof | undefined> {
  const [row] = await db.query(readAskedAt, [request])
  if (!row) return undefined
  const delegations = await db.query(readProof, [request])
  const times = delegations.flatMap(({ first, delegatedAt }) =>
    first ? delegatedAt.getTime() : [],
  )
  // Clocks differ: a block time before the purchase counts as zero seconds.
  const ms = Math.max(0, ...times.map((time) => time - row.askedAt.getTime()))
  return { delegations, secondsToDelivery: Math.round(ms / 1_000) }
}
