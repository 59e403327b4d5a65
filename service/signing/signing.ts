import type { StakeAction } from '@ergon/contract/approval.ts'
import {
  buildTransaction,
  type Contract,
  encodeTransaction,
  type HexAddress,
  uniqueTimestamp,
} from '@ergon/tron'
import type { Claim, Db, Tx } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import { createOutflows, type Outflows } from './outflows.ts'
import { createPayoutMail, type PayoutAttempt, type PayoutMail } from './payouts/approvals.ts'
import { createRecovery, type Recovery } from './recovery.ts'
import {
  type AnswerRow,
  claimSigned,
  countRefused,
  countWaiting,
  findPermissions,
  insertRequests,
  readAnswers,
  readTimes,
  type TimesRow,
  turnOff,
} from './signing.sql.ts'
import type { Timed } from './stakePolicy.ts'
import {
  type DestinationRow,
  readAddresses,
  readDepositRoot,
  readDestinations,
  readSwitch,
} from './store.ts'

/** Purpose of a signature. The signer has a policy for each and refuses everything else. */
export type Purpose = 'delegate' | 'reclaim' | 'sweep' | 'payout' | 'treasury' | StakeAction | Timed

export type SigningRequest = { id: string; txid: string; expiresAt: Date }

export type Wanted = {
  purpose: Purpose
  contract: Contract
  ground: { solidId: string; headTime: Date }
  lifeMs: number
  /** Position of the deposit address that a sweep pays from. */
  position?: bigint
  /** The payout or the operation with a stake, and its attempt. */
  payout?: PayoutAttempt
}

export type Signing = {
  /** Writes the unsigned transaction; its txid is known from now on, its signature comes later. */
  ask(tx: Tx, want: Wanted): Promise<SigningRequest>
  /** The same for many at once, in the order given. */
  askAll(tx: Tx, wants: readonly Wanted[]): Promise<SigningRequest[]>
  /** Takes signed transactions and marks them as taken in the same transaction. */
  takeSigned(tx: Tx, claim: Claim): Promise<{ txid: string; bytes: Uint8Array; expiresAt: Date }[]>
  answers(ids: string[]): Promise<AnswerRow[]>
  /** When these transactions were asked for and answered, for traces. */
  times(txids: string[]): Promise<TimesRow[]>
  addresses(purpose: 'hot' | 'stake'): Promise<HexAddress[]>
  /** The first deposit address of the signer's keys; undefined before it has published one. */
  depositRoot(): Promise<HexAddress | undefined>
  /** Where treasury transfers may go by the signer's file, with its caps. */
  destinations(): Promise<DestinationRow[]>
  /** Approvals and cancellations of payouts, on their way to the signer. */
  payouts: PayoutMail
  /** Not answered yet. */
  waiting(): Promise<{ count: bigint; oldest: Date | null }>
  /** Refused within the last 24 hours: each is a bug of ours, or an attack. */
  refused(): Promise<{ count: bigint; oldest: Date | null }>
  /** The kill switch: the signer reads it with every batch, in its own program. */
  enabled(): Promise<{ enabled: boolean; reason: string }>
  /** Only the signer's machine can turn it on again. */
  turnOff(reason: string): Promise<void>
  outflows: Outflows
  recovery: Recovery
  /** Wakes the signer; a lost wake-up costs one poll interval. */
  wake(): void
}

/** The timestamp is not checked by the chain; it only makes the bytes unique. */
const SPREAD_MS = 3_000
const DAY_MS = 86_400_000

export function createSigning(deps: { db: Db; runtime: Runtime; wake(): void }): Signing {
  const { db, runtime, wake } = deps
  const timestamps = uniqueTimestamp()

  function build({ ground, lifeMs }: Wanted, contract: Contract) {
    const head = { id: ground.solidId, timestamp: ground.headTime.getTime() }
    // Otherwise two processes on the same head would build equal bytes for equal orders.
    const spread = Math.floor(runtime.random.fraction() * SPREAD_MS)
    const timestamp = timestamps.next(head.timestamp + spread)
    return buildTransaction(contract, { headBlock: head, timestamp, expirationMs: lifeMs })
  }

  async function askAll(tx: Tx, wants: readonly Wanted[]): Promise<SigningRequest[]> {
    if (wants.length === 0) return []
    const contracts = await underPermission(
      tx,
      wants.map(({ contract }) => contract),
    )
    const built = wants.map((want, place) => build(want, contracts[place]!))
    const requests = built.map(({ txId, raw }) => ({
      id: runtime.ids.next(),
      txid: txId,
      expiresAt: new Date(raw.expiration),
    }))
    await tx.query(insertRequests, [
      requests.map(({ id }) => id),
      wants.map(({ purpose }) => purpose),
      contracts.map(({ value }) => value.owner_address),
      built.map(({ rawBytes }) => Buffer.from(rawBytes)),
      requests.map(({ txid }) => txid),
      requests.map(({ expiresAt }) => expiresAt),
      wants.map(({ position }) => position ?? null),
      wants.map(({ payout }) => payout?.id ?? null),
      wants.map(({ payout }) => payout?.attempt ?? null),
      runtime.clock.now(),
    ])
    return requests
  }

  return {
    ask: async (tx, want) => (await askAll(tx, [want]))[0]!,
    askAll,
    async takeSigned(tx, { most, skip, took }) {
      const rows = await tx.query(claimSigned, [most, skip])
      took(rows.map(({ id }) => id))
      return rows.flatMap(({ txid, raw, signature, expiresAt }) => {
        if (signature === null) return []
        const bytes = encodeTransaction({ rawBytes: raw, signatures: [signature] })
        return [{ txid, bytes, expiresAt }]
      })
    },
    answers: (ids) => db.query(readAnswers, [ids]),
    times: (txids) => db.query(readTimes, [txids]),
    async addresses(purpose) {
      const rows = await db.query(readAddresses)
      return rows.flatMap((row) => (row.purpose === purpose ? row.address : []))
    },
    depositRoot: async () => (await db.query(readDepositRoot))[0]?.address,
    destinations: () => db.query(readDestinations, [runtime.clock.now()]),
    payouts: createPayoutMail(db),
    waiting: async () => (await db.query(countWaiting))[0]!,
    enabled: async () => (await db.query(readSwitch))[0]!,
    async refused() {
      const since = new Date(runtime.clock.wallMs() - DAY_MS)
      return (await db.query(countRefused, [since]))[0]!
    },
    async turnOff(reason) {
      await db.query(turnOff, [reason])
    },
    outflows: createOutflows({ db, runtime }),
    recovery: createRecovery({ db }),
    wake,
  }
}

/** Read at each request: the permission is part of the txid, and may change with a restart of the signer. */
async function underPermission(tx: Tx, contracts: readonly Contract[]): Promise<Contract[]> {
  const owners = [...new Set(contracts.map(({ value }) => value.owner_address))]
  const rows = await tx.query(findPermissions, [owners])
  const known = new Map(rows.map(({ address, permissionId }) => [address, Number(permissionId)]))
  return contracts.map((contract) => {
    const permissionId = known.get(contract.value.owner_address)
    return permissionId ? { ...contract, permissionId } : contract
  })
}
