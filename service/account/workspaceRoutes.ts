import {
  getOverview,
  getReceiver,
  getSettings,
  getStatement,
  getStatementFile,
  type HandledRoute,
  handle,
  patchSettings,
  refuse,
  Verbatim,
} from '@ergon/contract'
import { parseAddress } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import { type Clock, formatTrx, parseTrx, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Orders } from '../orders/index.ts'
import { csvLine, monthOf } from './statement.ts'

type Deps = { ledger: Ledger; orders: Orders; chain: Chain; clock: Clock }

const DAY_MS = 86_400_000
const DAYS = 14
const WEEK = 7
/** Most lines of a statement, about 20 MB; larger accounts page through GET /transactions. */
const LINES_MAX = 100_000n
/** Entry types that count as spending: payments and their refunds. */
const SPENT = /^(purchase|refund|reclaim_credit|autoenergy_\w+|agent_charge)$/

/** Workspace routes about the account as a whole. */
export function workspaceRoutes(deps: Deps): HandledRoute[] {
  return [
    ...settingsRoutes(deps),
    ...overviewRoutes(deps),
    ...statementRoutes(deps),
    receiverRoute(deps),
  ]
}

function settingsRoutes({ ledger }: Deps): HandledRoute[] {
  const settings = async (account: string) => {
    const threshold = await ledger.lowThresholdOf(account)
    return { low_balance_trx: threshold === null ? null : formatTrx(threshold) }
  }
  return [
    handle(getSettings, ({ account }) => settings(account)),
    handle(patchSettings, async ({ account }, { body: { low_balance_trx: given } }) => {
      const threshold = given === null ? null : parseTrx(given)
      if (threshold === undefined || (threshold !== null && threshold <= 0n)) {
        const message = 'Give an amount above 0 with at most 6 decimals, such as 25.5, or none.'
        return refuse('validation_error', { message })
      }
      await ledger.setLowThreshold(account, threshold)
      return settings(account)
    }),
  ]
}

function overviewRoutes({ ledger, orders, clock }: Deps): HandledRoute[] {
  return [
    handle(getOverview, async ({ account }) => {
      const now = clock.now()
      const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
      const from = new Date(today - (DAYS - 1) * DAY_MS)
      const [sums, energies] = await Promise.all([
        ledger.periods.byDay(account, { from, to: new Date(today + DAY_MS) }),
        orders.energyByDay(account, from),
      ])
      const spentOn = (date: string) =>
        sums.reduce((all, s) => (s.day === date && SPENT.test(s.kind) ? all - s.amount : all), 0n)
      const dates = Array.from({ length: DAYS }, (_, i) =>
        new Date(from.getTime() + i * DAY_MS).toISOString().slice(0, 10),
      )
      const spent = dates.map(spentOn)
      const week = spent.slice(-WEEK).reduce((all, one) => all + one, 0n)
      return {
        days: dates.map((date, index) => ({
          date,
          spent_trx: formatTrx(sun(spent[index]!)),
          energy: Number(energies.find(({ day }) => day === date)?.energy ?? 0n),
        })),
        spent_week_trx: formatTrx(sun(week)),
      }
    }),
  ]
}

const COLUMNS = [
  'time',
  'entry_type',
  'amount_trx',
  'balance_after_trx',
  'reference',
  'description',
]

function statementRoutes({ ledger, clock }: Deps): HandledRoute[] {
  return [
    handle(getStatement, async ({ account }, { params: { month } }) => {
      const period = monthOf(month, clock.now())
      if (!period) return refuse('statement_not_found')
      const { opening, closing, sums } = await ledger.periods.sums(account, period)
      return {
        month,
        opening_trx: formatTrx(sun(opening)),
        closing_trx: formatTrx(sun(closing)),
        sums: sums.map(({ kind, count, amount }) => ({
          entry_type: kind,
          count: Number(count),
          amount_trx: formatTrx(sun(amount)),
        })),
      }
    }),
    handle(getStatementFile, async ({ account }, { params: { month } }) => {
      const period = monthOf(month, clock.now())
      if (!period) return refuse('statement_not_found')
      const entries = await ledger.periods.entries(account, period, LINES_MAX)
      if (!entries) return refuse('statement_not_found')
      const lines = entries.map((entry) =>
        csvLine([
          entry.createdAt.toISOString(),
          entry.kind,
          formatTrx(sun(entry.amount)),
          formatTrx(sun(entry.balanceAfter)),
          entry.reference,
          entry.description,
        ]),
      )
      return new Verbatim([csvLine(COLUMNS), ...lines].join(''), {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="ergon-${month}.csv"`,
      })
    }),
  ]
}

function receiverRoute({ orders, chain }: Deps): HandledRoute {
  return handle(getReceiver, async (_caller, { query: { address: text } }) => {
    const refusal = await orders.receiverRefusal(text)
    const address = parseAddress(text)
    const resource =
      address && !refusal
        ? await chain.node.getAccountResource(address).catch(() => undefined)
        : undefined
    const left = resource ? resource.energyLimit - resource.energyUsed : undefined
    return {
      can_receive: !refusal,
      message: refusal ? String(refusal.extra.message) : 'This address can receive Energy.',
      energy_available: left === undefined ? null : Number(left > 0n ? left : 0n),
    }
  })
}
