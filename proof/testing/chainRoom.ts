import { createNodeClient } from '@ergon/tron'
import { type Chain, createChain } from '../../service/chain/index.ts'
import type { Db } from '../../service/db/index.ts'
import { silentLog, systemClock } from '../../service/kernel/index.ts'

/** The room `chain` without a running scanner: the test writes how far the chain is read. */
export function openChainRoom(db: Db, nodeUrl = 'http://127.0.0.1:9'): Chain {
  return createChain({
    db,
    node: createNodeClient({ urls: [nodeUrl], timeoutMs: 5_000 }),
    clock: systemClock(),
    log: silentLog,
    pollMs: 1_000,
    blockMs: undefined,
    onBlock: [],
    onOrphan: [],
    treasury: async () => [],
    recovery: async () => undefined,
    onCommit() {},
    takeSigned: async () => [],
    signedDue: 'false',
  })
}

/** Marks all blocks up to this one as read and solid. */
export const readUpTo = (
  database: { sql(text: string, values: unknown[]): Promise<unknown> },
  number: number,
  time: Date,
) =>
  database.sql(
    `insert into chain.cursor (number, block_id, block_time, solid_number, solid_id, solid_time)
     values ($1, '', $2, $1, '', $2)`,
    [number, time],
  )
