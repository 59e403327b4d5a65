import { toHex } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import type { Db, Tx } from '../db/index.ts'
import { type Log, type Runtime, sun } from '../kernel/index.ts'
import type { Signing } from '../signing/index.ts'
import type { Reading } from './reading.ts'
import { isStillSet } from './settings.sql.ts'
import { leftOf } from './settings.ts'
import {
  endWaiting,
  findNeed,
  insertTransfer,
  lastRefusal,
  lockTurn,
  nextTurn,
  sentTo,
  setWaiting,
} from './store.ts'

/** What a transfer is for. */
export type Need = { kind: 'surplus'; provider: null } | { kind: 'top_up'; provider: string }

/** The marketplace's balance just before, and the attempts that were open then. */
export type Before = { balance: bigint; from: Date; till: Date; open: string[] }

export type Wanted = {
  need: Need
  to: string
  amount: bigint
  of: Pick<Reading, 'turn' | 'fromMs'>
  before?: Before
}

/** Long: a transfer is not urgent, and dead bytes are built again. */
const LIFE_MS = 120_000
/** A process that was frozen since its reading knows nothing of balances now. */
const READING_MS_MAX = 60_000
const AGAIN_AFTER_MS = 3_600_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The signer counts by whole minutes and by its own clock. */
const LATER_MS = 120_000

type Deps = { db: Db; runtime: Runtime; log: Log; chain: () => Chain; signing: Signing }

/** Asks the signer for transfers, one for each need, and says why one waits. */
export function createAsking({ db, runtime, log, chain, signing }: Deps) {
  const now = () => runtime.clock.now()
  const ago = (ms: number) => new Date(now().getTime() - ms - LATER_MS)
  const nameOf = ({ kind, provider }: Need) => (kind === 'surplus' ? kind : `top_up ${provider}`)

  /** The turn is the lock, and says whether the reading is still the newest: by an older one nothing is asked for. */
  async function insert(tx: Tx, { need, to, amount, of: read, before }: Wanted): Promise<boolean> {
    const [row] = await tx.query(lockTurn)
    const isOld = runtime.clock.elapsedMs() - read.fromMs > READING_MS_MAX
    if (row!.turn !== read.turn || isOld) return false
    const [still] = await tx.query(isStillSet, [need.kind, need.provider, to])
    if (!still!.isSet) return false
    const [alive] = await tx.query(findNeed, [need.kind, need.provider])
    const [hot] = await signing.addresses('hot')
    const ground = await chain().ground(LIFE_MS)
    if (alive || !hot || !ground) return false
    const value = { owner_address: hot, to_address: toHex(to), amount }
    const contract = { type: 'TransferContract' as const, value }
    const asked = await signing.ask(tx, { purpose: 'treasury', contract, ground, lifeMs: LIFE_MS })
    const of = [need.kind, need.provider, to, sun(amount), asked.txid, asked.id, now()]
    const balance = before && [before.balance, before.from, before.till, before.open]
    const values = [runtime.ids.next(), ...of, ...(balance ?? [null, null, null, []])]
    const [made] = await tx.query(insertTransfer, values)
    // The request for its signature must not stay without its row.
    if (!made) throw new Error(`a transfer for ${nameOf(need)} is alive already`)
    await tx.query(nextTurn)
    return true
  }

  return {
    /** Why this need cannot have a transfer now; undefined when it can. */
    async objection({ kind, provider }: Need): Promise<string | undefined> {
      const [alive] = await db.query(findNeed, [kind, provider])
      if (alive?.state === 'missing') return 'the last one has not arrived: a person decides'
      if (alive) return 'one is under way'
      const [refused] = await db.query(lastRefusal, [kind, provider])
      const isRecent = refused && now().getTime() - refused.endedAt.getTime() < AGAIN_AFTER_MS
      return isRecent ? `the signer refused it: ${refused.trouble}` : undefined
    },

    /** What the signer still signs to this address; undefined: it is no destination. */
    async left(to: string): Promise<bigint | undefined> {
      const [sent] = await db.query(sentTo, [to, ago(HOUR_MS), ago(DAY_MS)])
      return leftOf(await signing.destinations(), to, sent!)
    },

    /** False: another transfer was asked for since the reading, or nothing can be built now. */
    async ask(want: Wanted): Promise<boolean> {
      const made = await db.transaction((tx) => insert(tx, want))
      if (made) signing.wake()
      return made
    },

    /** For people: why a due transfer is not made. Undefined ends it. */
    async wait(need: Need, reason: string | undefined): Promise<false> {
      const name = nameOf(need)
      if (reason === undefined) {
        await db.query(endWaiting, [name])
        return false
      }
      const [news] = await db.query(setWaiting, [name, reason, now()])
      if (news) log.warn('treasury_waits', { what: name, reason })
      return false
    },
    nameOf,
  }
}

export type Asking = ReturnType<typeof createAsking>
