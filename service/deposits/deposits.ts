import type { Addresses } from '../addresses/index.ts'
import type { Chain, OnBlock, OnOrphan } from '../chain/index.ts'
import type { Db } from '../db/index.ts'
import { createLoop, type Doors, type Log, type Loop, type Sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { createCrediting, type OnCredit } from './credit.ts'
import { createFinishing } from './finish.ts'
import { type DepositRow, listDeposits } from './store.ts'

export type Deposits = {
  onBlock: OnBlock
  onOrphan: OnOrphan
  /** Newest first; one more than asked for says whether there are more. */
  list(account: string, limit: number, offset: number): Promise<DepositRow[]>
  loop: Loop
}

export function createDeposits(deps: {
  db: Db
  doors: Doors
  log: Log
  addresses: Addresses
  ledger: Ledger
  unverifiedLimit: Sun
  onCredit: readonly OnCredit[]
  /** Late bound: the chain's scanner is built with this room's participants. */
  chain: () => Chain
}): Deposits {
  const { db, doors, log, ledger, chain } = deps
  const crediting = createCrediting(deps)
  const finish = () => createFinishing({ db, doors, ledger, chain: chain() }).finish()
  return {
    onBlock: crediting.onBlock,
    onOrphan: crediting.onOrphan,
    list: (account, limit, offset) => db.query(listDeposits, [account, limit, offset]),
    loop: createLoop({ name: 'deposits.finish', everyMs: 1_000, work: finish, log }),
  }
}
