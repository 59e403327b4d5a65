import {
  getMovements,
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
import { formatTrx, parseTrx, sun } from '../kernel/index.ts'
import { entryReply } from '../ledger/index.ts'
import { type OverviewDeps, overviewRoute } from './overview.ts'
import { csvLine, monthOf } from './statement.ts'

/** Most lines of a statement, about 20 MB; larger accounts page through GET /transactions. */
const LINES_MAX = 100_000n
/** Most movements on a page. */
const SHOWN_MAX = 500

/** Workspace routes about the account as a whole. */
export function workspaceRoutes(deps: OverviewDeps): HandledRoute[] {
  return [
    ...settingsRoutes(deps),
    overviewRoute(deps),
    ...statementRoutes(deps),
    receiverRoute(deps),
  ]
}

function settingsRoutes({ ledger, orders }: OverviewDeps): HandledRoute[] {
  const settings = async (account: string) => {
    const [threshold, basisPoints, earned] = await Promise.all([
      ledger.lowThresholdOf(account),
      orders.commissions.terms(),
      orders.commissions.earned(account),
    ])
    return {
      low_balance_trx: threshold === null ? null : formatTrx(threshold),
      referral: {
        basis_points: Number(basisPoints),
        orders: Number(earned.orders),
        earned_trx: formatTrx(earned.amount),
      },
    }
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

const COLUMNS = [
  'time',
  'entry_type',
  'amount_trx',
  'balance_after_trx',
  'reference',
  'description',
]

function statementRoutes({ ledger, clock }: OverviewDeps): HandledRoute[] {
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
    handle(getMovements, async ({ account }, { params: { month }, query }) => {
      const period = monthOf(month, clock.now())
      if (!period) return refuse('statement_not_found')
      const of = { limit: SHOWN_MAX + 1, ...(query.entry_type && { kind: query.entry_type }) }
      const entries = await ledger.periods.newest(account, period, of)
      return {
        entries: entries.slice(0, SHOWN_MAX).map(entryReply),
        has_more: entries.length > SHOWN_MAX,
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

function receiverRoute({ orders, chain }: OverviewDeps): HandledRoute {
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
