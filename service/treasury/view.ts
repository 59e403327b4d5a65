import { toBase58 } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import type { Db } from '../db/index.ts'
import type { Deposits, Recorded } from '../deposits/index.ts'
import type { Providers } from '../providers/index.ts'
import type { Signing } from '../signing/index.ts'
import type { Need } from './asking.ts'
import { type Forecast, outlookOf, surplusOf } from './forecast.ts'
import type { ReadingOf } from './reading.ts'
import type { FloatRow, HotWalletRow } from './settings.sql.ts'
import type { Settings } from './settings.ts'
import { listTransfers, readWaiting, type TransferRow } from './store.ts'

/** The hot wallet for people: by the last reconciliation, with the arithmetic of its forecast. */
export type HotWalletView = {
  set: HotWalletRow | undefined
  recorded: Recorded | undefined
  underWay: bigint
  forecast: Forecast
  /** Undefined before the first reconciliation. */
  outlook: (ReturnType<typeof outlookOf> & { free: bigint; amount: bigint }) | undefined
  waits: string | undefined
  destinations: { address: string; hour: bigint; day: bigint }[]
}

export type FloatView = {
  provider: string
  set: FloatRow | undefined
  /** As it last said, and when. */
  balance: bigint | null
  seenAt: Date | null
  waits: string | undefined
}

/** `step`: requested, signed, broadcast, then its state. */
export type TransferView = TransferRow & { step: string }

export type View = {
  hotWallet(): Promise<HotWalletView>
  floats(): Promise<FloatView[]>
  /** Newest first. */
  transfers(limit: number): Promise<TransferView[]>
}

type Deps = {
  db: Db
  chain: () => Chain
  deposits: Deposits
  providers: Providers
  signing: Signing
  settings: Settings
  reading: ReadingOf
  nameOf(need: Need): string
}

export function createView(deps: Deps): View {
  const { db, chain, deposits, providers, signing, settings, reading, nameOf } = deps

  async function waits(): Promise<(need: Need) => string | undefined> {
    const rows = await db.query(readWaiting)
    return (need) => rows.find(({ purpose }) => purpose === nameOf(need))?.reason
  }

  return {
    async hotWallet() {
      const [set, recorded, { underWay, forecast }, waiting, destinations] = await Promise.all([
        settings.hotWallet(),
        deposits.reconciling().recorded(),
        reading.expected(),
        waits(),
        signing.destinations(),
      ])
      const floor = set?.floor ?? 0n
      const outlook = recorded && {
        ...outlookOf({ hot: recorded.hot, underWay, floor }, forecast),
        ...surplusOf(
          {
            ...recorded,
            owed: recorded.clients + recorded.escrow,
            underWay,
            floor,
            ceiling: set?.ceiling ?? 0n,
          },
          forecast,
        ),
      }
      return {
        set,
        recorded,
        underWay,
        forecast,
        outlook,
        waits: waiting({ kind: 'surplus', provider: null }),
        destinations: destinations.map((one) => ({ ...one, address: toBase58(one.address) })),
      }
    },
    async floats() {
      const [sets, health, waiting] = await Promise.all([
        settings.floats(),
        providers.health(),
        waits(),
      ])
      const names = new Set(health.flatMap(({ name }) => (name === 'own_stake' ? [] : name)))
      for (const { provider } of sets) names.add(provider)
      return [...names].sort().map((provider) => {
        const of = health.find(({ name }) => name === provider)
        return {
          provider,
          set: sets.find((one) => one.provider === provider),
          balance: of?.float ?? null,
          seenAt: of?.floatSeenAt ?? null,
          waits: waiting({ kind: 'top_up', provider }),
        }
      })
    },
    async transfers(limit) {
      const rows = await db.query(listTransfers, [limit])
      const open = rows.filter(({ state }) => state === 'requested')
      const answers = await signing.answers(open.map(({ signingRequest }) => signingRequest))
      const sent = await chain().broadcasts.states(open.map(({ txid }) => txid))
      const signed = new Set(answers.flatMap(({ id, state }) => (state === 'signed' ? id : [])))
      const taken = new Set(sent.map(({ txid }) => txid))
      const stepOf = ({ state, txid, signingRequest }: TransferRow) => {
        if (state !== 'requested') return state
        if (taken.has(txid)) return 'broadcast'
        return signed.has(signingRequest) ? 'signed' : state
      }
      return rows.map((row) => ({ ...row, step: stepOf(row) }))
    },
  }
}
