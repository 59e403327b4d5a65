import { toHex } from '@ergon/tron'
import type { Addresses } from '../addresses/index.ts'
import type { Chain } from '../chain/index.ts'
import { createApart, type Db, type Tx } from '../db/index.ts'
import { type Log, type Runtime, type Sun, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Signing } from '../signing/index.ts'
import type { Looking } from './look.ts'
import { createOutgoing, type Fate } from './outgoing.ts'
import type { Reconciling } from './reconcile.ts'
import { readSwitch } from './store.ts'
import {
  endSweep,
  findOpenSweep,
  insertSweep,
  lockHolding,
  openSweeps,
  type SweepRow,
  sweepable,
  takeFromHolding,
} from './sweep.sql.ts'

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  addresses: Addresses
  chain: Chain
  ledger: Ledger
  signing: Signing
  /** The least amount worth a transaction; undefined disables sweeps. */
  sweepMin: Sun | undefined
  /** Why nothing may be swept: the chain holds less than we owe, or the readings are not consistent. */
  hold: Reconciling['hold']
  /** Reads addresses from the node and returns their solid balances. */
  read: Looking['read']
}

const BATCH = 20
/** Long: a sweep is not urgent, and expired bytes are built again. */
const LIFE_MS = 120_000
/** Pause after a refused sweep (a limit, a signer with other keys). */
const AGAIN_AFTER_MS = 3_600_000
/** Bandwidth of a transfer, rounded up; below, the fee that the network burns without it. */
const TRANSFER_BYTES = 300n
const FEE_ROOM = 500_000n

/**
 * Moves verified TRX from deposit addresses to the hot wallet. Bytes are stored before they are sent,
 * an address has at most one open sweep, and a sweep is booked once, when it is solid.
 */
export function createSweeping(deps: Deps) {
  const { db, runtime, log, addresses, chain, ledger, signing, sweepMin } = deps
  const outgoing = createOutgoing(deps)
  const apartOf = (loop: string, kind: string) =>
    createApart({ db, clock: runtime.clock, log }, { loop, kind })
  const addressesApart = apartOf('deposits.sweep', 'address')
  const sweepsApart = apartOf('deposits.finish', 'sweep')

  async function askForDue(): Promise<number> {
    if (sweepMin === undefined) return 0
    const [row] = await db.query(readSwitch)
    if (!row?.enabled || !(await chain.progress())) return 0
    const retryBefore = new Date(runtime.clock.now().getTime() - AGAIN_AFTER_MS)
    const values = [sweepMin, retryBefore, BATCH, addressesApart.waiting()]
    const due = await db.query(sweepable, values)
    if (due.length === 0) return 0
    const [hot] = await signing.addresses('hot')
    if (!hot) return 0
    const balances = await deps.read(due.map(({ address }) => address))
    const hold = await deps.hold()
    if (hold) {
      log[hold.isShort ? 'error' : 'warn']('sweeps_held', { reason: hold.reason })
      return 0
    }
    const tried = await addressesApart.each(
      due,
      ({ address }) => address,
      async ({ address, diedBefore }) => {
        const balance = balances.get(address) ?? 0n
        if (balance < sweepMin) return false
        return ask(address, balance - (await roomFor(address, diedBefore)), hot)
      },
    )
    const asked = tried.filter(Boolean).length
    if (asked > 0) signing.wake()
    return asked
  }

  /** For the fee, where the address has no bandwidth. */
  async function roomFor(address: string, diedBefore: boolean): Promise<bigint> {
    const resource = await chain.node.getAccountResource(toHex(address))
    const free = resource ? resource.freeNetLimit - resource.freeNetUsed : 0n
    return free >= TRANSFER_BYTES && !diedBefore ? 0n : FEE_ROOM
  }

  /** The holding's row is the lock: two workers cannot both find no open sweep. */
  const ask = (address: string, onChain: bigint, hot: string): Promise<boolean> =>
    db.transaction(async (tx) => {
      const [holding] = await tx.query(lockHolding, [address])
      const [open] = await tx.query(findOpenSweep, [address])
      if (!holding || open) return false
      const [owner] = await addresses.ownersOf(tx, [address])
      if (!owner) return false
      // Never more than our books say: an operator has to look at an unknown surplus.
      const amount = onChain < holding.amount ? onChain : holding.amount
      if (amount <= 0n) return false
      const value = { owner_address: toHex(address), to_address: hot, amount }
      const contract = { type: 'TransferContract' as const, value }
      const { position } = owner
      const ground = await chain.ground(LIFE_MS)
      if (!ground) return false
      const want = { purpose: 'sweep' as const, contract, ground, lifeMs: LIFE_MS, position }
      const { id, txid } = await signing.ask(tx, want)
      const values = [runtime.ids.next(), address, amount, txid, id, runtime.clock.now()]
      await tx.query(insertSweep, values)
      return true
    })

  async function conclude(): Promise<number> {
    const open = await db.query(openSweeps, [BATCH, sweepsApart.waiting()])
    if (open.length === 0) return 0
    const fates = await outgoing.fatesOf(open)
    const ended = await sweepsApart.each(
      fates,
      ({ of }) => of.id,
      async (one) => {
        const fate = await one.fate()
        return fate.state !== 'waiting' && db.transaction((tx) => end(tx, one.of, fate))
      },
    )
    return ended.filter(Boolean).length
  }

  async function end(tx: Tx, sweep: SweepRow, fate: Exclude<Fate, { state: 'waiting' }>) {
    const { id, address, amount, txid } = sweep
    const state = fate.state === 'solid' ? 'booked' : fate.state
    const fee = fate.state === 'solid' ? fate.fee : null
    const reason = fate.state === 'refused' ? fate.reason : null
    const [ended] = await tx.query(endSweep, [id, state, fee, reason, runtime.clock.now()])
    if (!ended) return false
    if (fate.state !== 'solid') {
      log.warn('sweep_not_done', { txid, state, reason: reason ?? 'its bytes expired' })
      return true
    }
    await tx.query(takeFromHolding, [address, amount + fate.fee])
    // Assets: an increase is a debit, a decrease a credit.
    const assets = { reference: txid, to: 'asset:deposit_addresses' } as const
    await ledger.transfer(tx, [
      {
        ...assets,
        kind: 'sweep',
        from: 'asset:hot',
        amount: sun(amount),
        description: 'Swept to the hot wallet',
      },
    ])
    if (fate.fee > 0n) {
      await ledger.transfer(tx, [
        {
          ...assets,
          kind: 'network_fee',
          from: 'cost:network',
          amount: sun(fate.fee),
          description: 'Network fee of a sweep',
        },
      ])
    }
    return true
  }

  return { askForDue, conclude }
}
