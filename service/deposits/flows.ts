import type { Db } from '../db/index.ts'
import { type FlowRow, missingOnAddresses, readFlows } from './flows.sql.ts'

export type Flows = {
  /** What moves the hot wallet on behalf of clients, since a time. */
  flows(since: Date): Promise<FlowRow>
  /** SUN that deposit addresses have less on the chain than in our books. */
  missing(): Promise<bigint>
}

export function createFlows(db: Db): Flows {
  return {
    flows: async (since) => (await db.query(readFlows, [since]))[0]!,
    missing: async () => (await db.query(missingOnAddresses))[0]!.amount,
  }
}
