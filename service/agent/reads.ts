import type { Db } from '../db/index.ts'
import { isUuid } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Orders } from '../orders/index.ts'
import type { Pricing } from '../pricing/index.ts'
import type { Config } from './config.ts'
import type { Payment, PaymentStatus } from './payment.ts'
import { PUBLIC_ID } from './publicId.ts'
import {
  findPublic,
  listConfigs,
  listPayments,
  type PublicRow,
  type SumsRow,
  sumByAccount,
  sumByConfig,
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
  ledger: Ledger
  orders: Orders
  pricing: Pricing
  referralCodeOf(account: string): Promise<string>
}

export function createReads({ db, ledger, orders, pricing, referralCodeOf }: Deps) {
  async function withStats(configs: readonly Config[]): Promise<WithStats[]> {
    const rows = await db.query(sumByConfig, [configs.map(({ id }) => id)])
    const sums = new Map(rows.map((row) => [row.configId, row]))
    return configs.map((config) => ({ config, stats: sums.get(config.id) ?? NOTHING }))
  }

  /** False when a payment for one unit, sent now, would be skipped. */
  async function isAvailable(row: PublicRow): Promise<boolean> {
    if (!row.active) return false
    const price = pricing.priceFor(row.account, row.energyPerUnit)
    if (price > row.basePayment || !orders.sales.canSell(row.energyPerUnit, price)) return false
    const [{ enabled }, { spendable }] = await Promise.all([
      orders.selling(),
      ledger.balanceOf(row.account),
    ])
    // On a dedicated address the payment itself is credited before the sale is decided.
    const funds = row.mode === 'generated' ? spendable + row.basePayment : spendable
    return enabled && funds >= price
  }

  return {
    withStats,

    list: async (account: string): Promise<WithStats[]> =>
      withStats(await db.query(listConfigs, [account])),

    totals: async (account: string): Promise<SumsRow> =>
      (await db.query(sumByAccount, [account]))[0]!,

    async payments(account: string, query: PaymentQuery): Promise<Payment[]> {
      const { configId, status, page, pageSize } = query
      if (configId !== undefined && !isUuid(configId)) return []
      const skip = (BigInt(page) - 1n) * BigInt(pageSize)
      const values = [account, configId ?? null, status ?? null, pageSize + 1, skip]
      return db.query(listPayments, values)
    },

    async findOffer(publicId: string): Promise<PublicOffer | undefined> {
      if (!PUBLIC_ID.test(publicId)) return undefined
      const [row] = await db.query(findPublic, [publicId])
      if (!row) return undefined
      const [available, referralCode] = await Promise.all([
        isAvailable(row),
        referralCodeOf(row.account),
      ])
      return { ...row, available, referralCode }
    },
  }
}
