import type { HexAddress } from '@ergon/tron'
import type { Db, Tx } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import {
  countOutflows,
  findAsked,
  findOutflows,
  findSigned,
  orphanOutflows,
} from './outflows.sql.ts'
import { type OutflowRow, openOutflows, readAddresses } from './store.ts'

/** A transaction of one of our keys without a row of ours. */
export type Outflow = {
  txid: string
  owner: HexAddress
  to: HexAddress | null
  amount: bigint
  contract: string
}

/** Findings that turn signing off. Only the signer's machine settles them. */
export type Outflows = {
  /** Our hot wallet and stakes. A stake that its owner lends us has the permission that our key signs under. */
  treasury(tx: Tx): Promise<{ address: HexAddress; permission: number | null }[]>
  /** Those of the transactions whose signature was requested here. */
  asked(tx: Tx, txids: string[]): Promise<Set<string>>
  /** Those of the transactions that the signer signed, with their purpose. */
  signed(tx: Tx, txids: string[]): Promise<Map<string, string>>
  /** Records outflows and returns the new ones. */
  find(
    tx: Tx,
    block: { number: number; time: Date },
    outflows: readonly Outflow[],
  ): Promise<string[]>
  orphan(tx: Tx, block: number): Promise<void>
  /** Outflows that no operator has settled yet. */
  count(): Promise<{ count: bigint; oldest: Date | null }>
  list(): Promise<OutflowRow[]>
}

export function createOutflows({ db, runtime }: { db: Db; runtime: Runtime }): Outflows {
  return {
    async treasury(tx) {
      const rows = await tx.query(readAddresses)
      return rows.map(({ address, permissionId }) => ({
        address,
        permission: permissionId === null ? null : Number(permissionId),
      }))
    },
    asked: async (tx, txids) =>
      new Set((await tx.query(findAsked, [txids])).map(({ txid }) => txid)),
    signed: async (tx, txids) =>
      new Map((await tx.query(findSigned, [txids])).map(({ txid, purpose }) => [txid, purpose])),
    async find(tx, block, outflows) {
      const [first] = outflows
      const { number, time } = block
      const reason = `TRX left without a row of ours: transaction ${first?.txid} in block ${number}`
      const rows = await tx.query(findOutflows, [
        outflows.map(({ txid }) => txid),
        outflows.map(({ owner }) => owner),
        outflows.map(({ to }) => to),
        outflows.map(({ amount }) => amount),
        outflows.map(({ contract }) => contract),
        number,
        runtime.clock.now(),
        reason,
        time,
      ])
      return rows.map(({ txid }) => txid)
    },
    async orphan(tx, block) {
      await tx.query(orphanOutflows, [block])
    },
    count: async () => (await db.query(countOutflows))[0]!,
    list: () => db.query(openOutflows),
  }
}
