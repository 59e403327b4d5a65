import { addressDeriver, type HexAddress, toBase58 } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import type { Db, Tx } from '../db/index.ts'
import { NotNow, type Runtime } from '../kernel/index.ts'
import type { Signing } from '../signing/index.ts'
import {
  findDepositAddress,
  findOwners,
  insertAddress,
  listAddresses,
  type OwnerRow,
  skipPositions,
  takePosition,
} from './store.ts'

export type Addresses = {
  /** Allots the account's deposit address and has it watched, in one transaction. */
  allotDeposit(tx: Tx, account: string): Promise<void>
  /** The same for an agent's configuration, of which an account may have several. */
  allotAgent(tx: Tx, account: string): Promise<string>
  /** Synchronous for a cached account. */
  depositAddressOf(account: string): string | Promise<string>
  /** The accounts of the given base58 addresses. */
  ownersOf(tx: Tx, addresses: string[]): Promise<OwnerRow[]>
  /** The next addresses after a position, for a reader of all of them. */
  inTurn(after: bigint, most: number): Promise<{ position: bigint; address: string }[]>
  /** The account that one base58 address was allotted to. */
  ownerOf(address: string): Promise<string | undefined>
  /**
   * After a restore: leaves out positions that were allotted after the moment. Otherwise a new account
   * would get the deposit address of a lost one.
   */
  skipLost(): Promise<void>
  /** True for every address the service itself controls. */
  isOurs(address: HexAddress): Promise<boolean>
}

const CACHED_MAX = 500_000
/** More than are allotted between two backups. Positions go up to 2^31. */
const LOST_MAX = 10_000

export function createAddresses(deps: {
  db: Db
  runtime: Runtime
  extendedPublicKey: string
  watch: Chain['watch']
  signing: Signing
  /** False until the books were compared with the chain: the database may be a restored one. */
  mayAllot(): boolean
}): Addresses {
  const { db, runtime, watch, signing } = deps
  const addressAt = addressDeriver(deps.extendedPublicKey)
  // An allotted address never changes, so it is cached.
  const known = new Map<string, string>()
  // No client knows an address before it is allotted, so "not ours" can be cached too.
  const foreign = new Set<HexAddress>()

  async function lookUpDeposit(account: string): Promise<string> {
    const [row] = await db.query(findDepositAddress, [account])
    if (!row) return ''
    if (known.size >= CACHED_MAX) known.clear()
    known.set(account, row.address)
    return row.address
  }

  async function allot(tx: Tx, account: string, purpose: 'deposit' | 'agent'): Promise<string> {
    if (!deps.mayAllot()) throw new NotNow('no address is allotted before the scanner is near')
    const [taken] = await tx.query(takePosition, [LOST_MAX])
    const hex = addressAt(Number(taken!.position))
    const address = toBase58(hex)
    const values = [taken!.position, address, purpose, account, runtime.clock.now()]
    await tx.query(insertAddress, values)
    await watch(tx, [hex], purpose)
    return address
  }

  return {
    async allotDeposit(tx, account) {
      await allot(tx, account, 'deposit')
    },
    allotAgent: (tx, account) => allot(tx, account, 'agent'),
    depositAddressOf: (account) => known.get(account) ?? lookUpDeposit(account),
    ownersOf: (tx, addresses) => tx.query(findOwners, [addresses]),
    inTurn: (after, most) => db.query(listAddresses, [after, most]),
    ownerOf: async (address) => (await db.query(findOwners, [[address]]))[0]?.account,
    async skipLost() {
      await db.query(skipPositions, [LOST_MAX])
    },
    async isOurs(address) {
      if (foreign.has(address)) return false
      const [allotted, hot, stake] = await Promise.all([
        db.query(findOwners, [[toBase58(address)]]),
        signing.addresses('hot'),
        signing.addresses('stake'),
      ])
      const ours = allotted.length > 0 || hot.includes(address) || stake.includes(address)
      if (!ours) {
        if (foreign.size >= CACHED_MAX) foreign.clear()
        foreign.add(address)
      }
      return ours
    },
  }
}
