import { type Refusal, refuse } from '@ergon/contract'
import type { Db, Tx } from '../../db/index.ts'
import { type OnStray, STRAYED_MAX } from '../../delivery/index.ts'
import type { Runtime } from '../../kernel/index.ts'
import { type Entry, later } from '../subscription.ts'
import { BARRED_MS, countedStray, isAccountAtMost, type Since } from './counted.ts'
import {
  type BarRow,
  barredSince,
  countedSince,
  findBars,
  findCover,
  insertBar,
  insertStray,
  liftBar,
  listBars,
  listStrays,
  sumOfAccount,
  sumOfRun,
} from './store.ts'

export type { BarRow } from './store.ts'

/** An account and an address that it covers, or wants to. */
type Pair = { account: string; address: string }
/** A bar that refuses the cover: of the account itself, or of another account. */
export type Barred = { by: 'own' | 'other'; until: Date }

const LISTED = 200

/** Records others' use of covered addresses, and bars addresses because of it. */
export function createBars({ db, runtime }: { db: Db; runtime: Runtime }) {
  async function counted(
    tx: Tx,
    { account, address }: Pair,
    since: Partial<Since> & { now: Date },
  ) {
    const taken = await tx.query(listStrays, [account, address])
    const [known] = await tx.query(countedSince, [account, address])
    return countedStray(taken, { ...known!, ...since })
  }

  /** Runs in the transaction that counts the use; the address identifies the subscription. */
  const onStray: OnStray = async (tx, { address, energy, at }) => {
    const [cover] = await tx.query(findCover, [address])
    if (!cover) return
    const { id, account, activation } = cover
    const values = [runtime.ids.next(), account, address, id, activation, energy, at]
    await tx.query(insertStray, values)
    if ((await counted(tx, { account, address }, { now: at })) <= STRAYED_MAX) return
    const until = later(at, BARRED_MS)
    await tx.query(insertBar, [runtime.ids.next(), account, address, at, until])
  }

  return {
    onStray,

    /** Others' use that counts against a new activation. A paid activation fee settles older use. */
    countedFor(tx: Tx, pair: Pair, entry: Entry): Promise<bigint> {
      const now = runtime.clock.now()
      return counted(tx, pair, entry === 'activation' ? { now, feeAt: now } : { now })
    },

    /** The bar that stops the account from covering the address; a proof of ownership overrides other accounts' bars. */
    async barredFrom({ account, address }: Pair, isProven: boolean): Promise<Barred | undefined> {
      const [bar] = await db.query(findBars, [address, account, runtime.clock.now()])
      if (!bar) return undefined
      if (bar.account === account) return { by: 'own', until: bar.until }
      return isProven ? undefined : { by: 'other', until: bar.until }
    },

    /** Refuses new activations of an account whose addresses lost ten levels; existing ones continue. */
    async refusalForAccount(account: string): Promise<Refusal | undefined> {
      const since = later(runtime.clock.now(), -BARRED_MS)
      const [sum] = await db.query(sumOfAccount, [account, since])
      return isAccountAtMost(sum!.energy)
        ? refuse('autoenergy_temporarily_unavailable', { message: ACCOUNT_AT_MOST })
        : undefined
    },

    /** Whether the account was barred after its last activation fee. */
    async isFeeUsedUp(tx: Tx, { account, address }: Pair): Promise<boolean> {
      const [since] = await tx.query(countedSince, [account, address])
      return (await tx.query(barredSince, [account, address, since!.feeAt])).length > 0
    },

    /** Others' use during one activation. */
    async takenInRun(tx: Tx, { id, activation }: { id: string; activation: bigint }) {
      const [sum] = await tx.query(sumOfRun, [id, activation])
      return sum!.energy
    },

    /** Newest first, including expired ones. */
    list: (): Promise<BarRow[]> => db.query(listBars, [LISTED]),

    /** Lifts a bar: earlier use by others no longer counts. Undefined when there is no such active bar. */
    async lift(id: string): Promise<BarRow | undefined> {
      return (await db.query(liftBar, [id, runtime.clock.now()]))[0]
    },
  }
}

export type Bars = ReturnType<typeof createBars>

const ACCOUNT_AT_MOST =
  'Others used ten levels of Energy at addresses of yours within 30 days, so nothing new is activated. ' +
  'Addresses that are covered stay covered. Move contracts that pay for their users to other addresses, ' +
  'and ask support, or try again when the 30 days are over.'

/** Explains a bar to the client: the reason, and what to do. */
export function barredWords({ by, until }: Barred): string {
  const end = until.toISOString()
  return by === 'own'
    ? 'Others used the Energy of this address, by calling a contract that it has deployed. ' +
        `You can cover it again after ${end}, or when support lifts the bar.`
    : `Others used the Energy of this address while another account covered it, so it is barred until ${end}. ` +
        'If it is yours, send ownership_signature: signMessageV2, by the key of the address, of "<account_id>:<address>".'
}
