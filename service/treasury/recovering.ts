import { type HexAddress, toBase58 } from '@ergon/tron'
import type { Db, Tx } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Signing } from '../signing/index.ts'
import { book } from './following.ts'
import { bookRecovered, findOther } from './recovering.sql.ts'
import type { Settings } from './settings.ts'
import { nextTurn } from './store.ts'

/** A transfer of the hot wallet to a destination of the treasury, in a solid block, that the books do not have. */
export type FoundTransfer = {
  txid: string
  to: HexAddress
  amount: bigint
  fee: bigint
  minedAt: Date
}

export type Recovered = { booked: Map<string, string>; undecided: Map<string, string> }

type Deps = { db: Db; runtime: Runtime; ledger: Ledger; signing: Signing; settings: Settings }

/** Books transfers that are on the chain already, so that nobody sends them again. */
export function createRecovering({ db, runtime, ledger, signing, settings }: Deps) {
  /** Whose address it is by the settings. Those may be older than the transfer. */
  async function needOf(to: string) {
    const hotWallet = await settings.hotWallet()
    if (hotWallet?.cold === to) return { kind: 'surplus', provider: null } as const
    const float = (await settings.floats()).find(({ address }) => address === to)
    return float && ({ kind: 'top_up', provider: float.provider } as const)
  }

  async function bookOne(tx: Tx, found: FoundTransfer, as: string): Promise<void> {
    const { txid, amount, fee, minedAt } = found
    const to = toBase58(found.to)
    const need = (await needOf(to))!
    const mine = await signing.recovery.book(tx, [{ txid, as }])
    if (mine.size === 0) return
    const id = runtime.ids.next()
    const state = need.kind === 'surplus' ? 'booked' : 'missing'
    const why = 'found on the chain by recovery: say whether it has arrived'
    const values = [id, need.kind, need.provider, to, amount, state, txid, fee, minedAt]
    const trouble = need.kind === 'surplus' ? null : why
    const [row] = await tx.query(bookRecovered, [...values, runtime.clock.now(), trouble])
    await tx.query(nextTurn)
    if (row) await book(tx, ledger, { ...need, to, txid, amount, fee })
  }

  return {
    /** Those of the addresses that the signer's file names. */
    async destinations(): Promise<Set<HexAddress>> {
      return new Set((await signing.destinations()).map(({ address }) => address))
    },

    async recover(found: readonly FoundTransfer[]): Promise<Recovered> {
      const booked = new Map<string, string>()
      const undecided = new Map<string, string>()
      for (const one of found) {
        const need = await needOf(toBase58(one.to))
        if (!need) {
          const what = `${toBase58(one.to)} is a destination of the treasury, and neither the cold address nor a marketplace's by the settings`
          undecided.set(one.txid, `${what}: set it as it was, and run this again`)
          continue
        }
        const [other] = await db.query(findOther, [need.kind, need.provider, one.txid])
        if (other) {
          const why = `transfer ${other.id} for the same is ${other.state}: let it end or decide it, and run this again`
          undecided.set(one.txid, why)
          continue
        }
        const as =
          need.kind === 'surplus' ? 'surplus to the cold address' : `top-up of ${need.provider}`
        await db.transaction((tx) => bookOne(tx, one, as))
        booked.set(one.txid, as)
      }
      return { booked, undecided }
    },
  }
}
