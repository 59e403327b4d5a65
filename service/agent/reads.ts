import type { Chain } from '../chain/index.ts'
import type { Db } from '../db/index.ts'
import { isUuid } from '../kernel/index.ts'
import type { Balance, Ledger } from '../ledger/index.ts'
import type { Orders } from '../orders/index.ts'
import type { Pricing } from '../pricing/index.ts'
import type { Config } from './config.ts'
import { createDeals } from './deal.ts'
import type { Payment, PaymentStatus } from './payment.ts'
import { PUBLIC_ID } from './publicId.ts'
import {
  type DayRow,
  findPayments,
  findPublic,
  listConfigs,
  listPayments,
  type PublicRow,
  type SkippedRow,
  type SumsRow,
  sumByAccount,
  sumByConfig,
  sumByDay,
  sumSkipped,
} from './reads.sql.ts'

export type WithStats = { config: Config; stats: SumsRow }

export type PaymentQuery = {
  configId: string | undefined
  status: PaymentStatus | undefined
  page: number
  pageSize: number
}

/** What a customer is offered on a pay page. */
export type PublicOffer = PublicRow & { available: boolean; referralCode: string }

const NOTHING: SumsRow = { sales: 0n, energy: 0n, revenue: 0n, cost: 0n, lastSaleAt: null }

export type Reads = ReturnType<typeof createReads>

type Deps = {
  db: Db
  chain: Chain
  ledger: Ledger
  orders: Orders
  pricing: Pricing
  referralCodeOf(account: string): string | Promise<string>
}

export function createReads(deps: Deps) {
  const { db, ledger, orders, referralCodeOf } = deps
  const deals = createDeals(deps)

  async function withStats(configs: readonly Config[]): Promise<WithStats[]> {
    const rows = await db.query(sumByConfig, [configs.map(({ id }) => id)])
    const sums = new Map(rows.map((row) => [row.configId, row]))
    return configs.map((config) => ({ config, stats: sums.get(config.id) ?? NOTHING }))
  }

  /** False when a payment for one unit, mined now, would not be sold. */
  async function isAvailable(row: PublicRow): Promise<boolean> {
    if (!row.active) return false
    const deal = deals.dealFor({ account: row.account, amount: row.basePayment, offers: [row] })
    if (typeof deal === 'string' || !deals.canSell(deal)) return false
    const [{ enabled }, funds, address] = await Promise.all([
      orders.selling(),
      ledger.balanceOf(row.account),
      deals.addressState(row),
    ])
    // Not activated: its first payment does that. Unknown: the sale waits for the node.
    return (
      enabled && !funds.block && address !== 'contract' && spendableFor(row, funds) >= deal.price
    )
  }

  async function findRow(publicId: string): Promise<PublicRow | undefined> {
    return PUBLIC_ID.test(publicId) ? (await db.query(findPublic, [publicId]))[0] : undefined
  }

  return {
    withStats,

    list: async (account: string): Promise<WithStats[]> =>
      withStats(await db.query(listConfigs, [account])),

    totals: async (account: string): Promise<SumsRow> =>
      (await db.query(sumByAccount, [account]))[0]!,

    /** Sales by day, and what was not sold by reason, of payments since a time. */
    async since(account: string, from: Date): Promise<{ days: DayRow[]; skipped: SkippedRow[] }> {
      const [days, skipped] = await Promise.all([
        db.query(sumByDay, [account, from]),
        db.query(sumSkipped, [account, from]),
      ])
      return { days, skipped }
    },

    async payments(account: string, query: PaymentQuery): Promise<Payment[]> {
      const { configId, status, page, pageSize } = query
      if (configId !== undefined && !isUuid(configId)) return []
      const skip = (BigInt(page) - 1n) * BigInt(pageSize)
      const values = [account, configId ?? null, status ?? null, pageSize + 1, skip]
      return db.query(listPayments, values)
    },

    /** Payments of one transaction, of any account: for operators. */
    ofTransaction: (txid: string) => db.query(findPayments, [txid]),

    /** The page alone, for who follows a payment that was made already. */
    findPage: findRow,

    async findOffer(publicId: string): Promise<PublicOffer | undefined> {
      const row = await findRow(publicId)
      if (!row) return undefined
      const [available, referralCode] = await Promise.all([
        isAvailable(row),
        referralCodeOf(row.account),
      ])
      return { ...row, available, referralCode }
    },
  }
}

/** On a dedicated address the payment itself is credited before the sale is decided. */
function spendableFor({ mode, basePayment }: PublicRow, funds: Balance): bigint {
  if (mode === 'own') return funds.spendable
  return funds.balance + basePayment - funds.reserved - funds.withheld
}
