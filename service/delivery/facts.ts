import { toBase58 } from '@ergon/tron'
import type { BlockFacts, OrphanedBlock } from '../chain/index.ts'
import type { Tx } from '../db/index.ts'
import {
  lookNow,
  orphanDelegations,
  orphanSightings,
  recordDelegations,
  recordReclaims,
  recordReturns,
  recordSightings,
  returnDelegations,
} from './facts.sql.ts'
import { noteFees, orphanFees } from './fees/store.ts'

/** Writes a block's delegations and reclaims in the block's transaction. Decisions are made later. */
export async function noteBlock(tx: Tx, { number, time, delegations }: BlockFacts): Promise<void> {
  const ours: string[] = []
  const delegated = delegations.filter(({ kind }) => kind === 'delegate')
  const returned = delegations.filter(({ kind }) => kind === 'undelegate')
  if (delegated.length > 0) {
    const txids = delegated.map(({ txid }) => txid)
    const made = await tx.query(recordDelegations, [txids, number, time])
    ours.push(...made.map(({ txid }) => txid))
    await tx.query(returnDelegations, [txids, number, time])
    const owners = delegated.map(({ owner }) => owner)
    const receivers = delegated.map(({ receiver }) => receiver)
    const stakes = delegated.map(({ stake }) => stake)
    const names = receivers.map(toBase58)
    const values = [txids, owners, receivers, names, stakes, number, time]
    const seen = await tx.query(recordSightings, values)
    if (seen.length > 0) await tx.query(lookNow, [seen.map(({ receiver }) => receiver)])
  }
  if (returned.length > 0) {
    const txids = returned.map(({ txid }) => txid)
    const made = await tx.query(recordReclaims, [txids, number, time])
    ours.push(...made.map(({ txid }) => txid))
    const owners = returned.map(({ owner }) => owner)
    const receivers = returned.map(({ receiver }) => receiver)
    const names = receivers.map(toBase58)
    const stakes = returned.map(({ stake }) => stake)
    await tx.query(recordReturns, [txids, owners, receivers, names, stakes, number, time])
  }
  if (ours.length > 0) await tx.query(noteFees, [ours, number])
}

export async function noteOrphan(tx: Tx, { number }: OrphanedBlock): Promise<void> {
  await tx.query(orphanDelegations, [number])
  await tx.query(orphanSightings, [number])
  await tx.query(orphanFees, [number])
}
