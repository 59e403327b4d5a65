import { type HexAddress, toBase58 } from '@ergon/tron'
import type { Books, Statements } from '../books/index.ts'
import { type Db, readServerHealth } from '../db/index.ts'
import type { Deposits } from '../deposits/index.ts'
import type { Clock } from '../kernel/index.ts'
import type { Orders } from '../orders/index.ts'
import type { Providers, StakeCosts } from '../providers/index.ts'
import type { Treasury } from '../treasury/index.ts'
import { COMMIT_SECONDS_MAX, IDLE_SECONDS_MAX } from './commands/doctorDatabase.ts'
import { type Status, USUAL } from './status.ts'
import type { Switches } from './switches.ts'

export type Reading = { name: string; label?: string; value: number }

/** Names are stable, because alerts use them: docs/operating/alerts.yml. */
export const GAUGES: readonly { name: string; help: string; label?: string }[] = [
  { name: 'ergon_selling', help: '1 when purchases are accepted now.' },
  {
    name: 'ergon_recovery',
    help: '1 while a transaction of our keys has no row: nothing is signed or sold.',
  },
  { name: 'ergon_solvent', help: '1 when the last reconciliation is fresh and not short.' },
  {
    name: 'ergon_orders_recent',
    help: 'Orders made within five minutes, by what has become of them.',
    label: 'result',
  },
  { name: 'ergon_hot_wallet_trx', help: 'On the hot wallet at the last reconciliation.' },
  {
    name: 'ergon_hot_wallet_after_day_trx',
    help: 'What is expected on it in 24 hours; only where its settings are on.',
  },
  { name: 'ergon_hot_wallet_floor_trx', help: 'Below this it is short.' },
  { name: 'ergon_reconciliation_age_seconds', help: 'Since the chain was last compared.' },
  {
    name: 'ergon_invariant_age_seconds',
    help: 'Since it was last proven, or since this process started.',
    label: 'invariant',
  },
  {
    name: 'ergon_invariant_failures',
    help: 'Runs since its last proof that ended with an error.',
    label: 'invariant',
  },
  { name: 'ergon_audit_pass_ratio', help: 'Share of all history that this full pass has checked.' },
  { name: 'ergon_unverified_credit_trx', help: 'Lent to clients before their blocks are final.' },
  { name: 'ergon_unverified_credit_max_trx', help: 'The most that is lent in this way.' },
  { name: 'ergon_stuck_work', help: 'Work that waits, by what it is.', label: 'what' },
  { name: 'ergon_put_aside', help: 'Things that failed and are tried again.', label: 'loop' },
  { name: 'ergon_scanner_block', help: 'The newest block read.' },
  { name: 'ergon_scanner_lag_seconds', help: 'Age of the newest block read.' },
  { name: 'ergon_clock_skew_seconds', help: 'By how much our clock is ahead of block time.' },
  { name: 'ergon_bandwidth_left', help: 'Bytes of Bandwidth that own stake has now.' },
  { name: 'ergon_bandwidth_orders_left', help: 'Orders with their reclaims it is enough for.' },
  { name: 'ergon_bandwidth_burned_trx', help: 'Burned for lack of it within a day.' },
  { name: 'ergon_switch_enabled', help: '0 when a kill switch is off.', label: 'switch' },
  { name: 'ergon_retail_price_sun', help: 'Price of one Energy in this hour.' },
  { name: 'ergon_wholesale_price_sun', help: 'What one Energy of a usual order costs us.' },
  { name: 'ergon_provider_healthy', help: '1 when orders can go to it.', label: 'provider' },
  { name: 'ergon_provider_fill_ratio', help: 'Share of orders it fills.', label: 'provider' },
  { name: 'ergon_provider_price_sun', help: 'Its price of one Energy.', label: 'provider' },
  { name: 'ergon_provider_capacity_energy', help: 'Energy it offers.', label: 'provider' },
  { name: 'ergon_provider_float_sun', help: 'Prepaid at it.', label: 'provider' },
  {
    name: 'ergon_own_stake_cost_sun',
    help: 'What one Energy of a stake costs us: the yield it must earn and its fees, over what it sells.',
    label: 'stake',
  },
  {
    name: 'ergon_statement_differences',
    help: 'Between statements of marketplaces and the books, that wait for a person or a credit.',
    label: 'state',
  },
  {
    name: 'ergon_statement_age_seconds',
    help: 'Since its statement was compared, or since it is known.',
    label: 'provider',
  },
  { name: 'ergon_margin_day_trx', help: 'Profit since midnight UTC.', label: 'product' },
  { name: 'ergon_revenue_day_trx', help: 'Revenue since midnight UTC.', label: 'product' },
  {
    name: 'ergon_provider_cost_day_trx',
    help: 'What a marketplace was paid since midnight UTC.',
    label: 'provider',
  },
  { name: 'ergon_archiver_failing', help: "1 when PostgreSQL's last try to archive WAL failed." },
  { name: 'ergon_standbys', help: 'Standbys that are connected to PostgreSQL.' },
  {
    name: 'ergon_standby_lag_seconds',
    help: 'How far the standby that is furthest behind is; 0 without standbys.',
  },
  {
    name: 'ergon_commits_waiting',
    help: 'Sessions whose commit has been waiting for a standby for 5 s.',
  },
  {
    name: 'ergon_idle_transactions',
    help: 'Sessions that have been idle in a transaction for a minute.',
  },
]

type Deps = {
  db: Db
  books: Books
  clock: Clock
  orders: Orders
  status(): Promise<Status>
  switches: Switches
  deposits: Deposits
  providers: Providers
  stakeCosts: StakeCosts
  statements: Statements
  treasury: Treasury
}

const SUN_PER_TRX = 1_000_000
const RECENT_MS = 300_000
const RESULTS = ['PENDING', 'PROCESSING', 'AWAITING_PAYMENT', 'COMPLETED', 'FAILED'] as const

/** The status of the console's first page, as numbers. */
export async function readGauges(deps: Deps) {
  const { clock, status, switches, deposits, providers } = deps
  const [now, turned, health, unverified, recent, server, profit, costing, compared, hotWallet] =
    await Promise.all([
      status(),
      switches.list(),
      providers.health(),
      deposits.unverified(),
      readOrders(deps),
      readServer(deps),
      readProfit(deps),
      deps.stakeCosts.read(),
      readStatements(deps),
      readHotWallet(deps),
    ])
  const { selling, solvent, books, scanner, bandwidth, all, aside } = now
  const readings: Reading[] = [
    { name: 'ergon_selling', value: Number(selling.ok) },
    { name: 'ergon_recovery', value: Number(isStuck(all, 'recovery')) },
    { name: 'ergon_solvent', value: Number(solvent.ok) },
    { name: 'ergon_scanner_block', value: scanner.block },
    { name: 'ergon_scanner_lag_seconds', value: scanner.lagSeconds },
    { name: 'ergon_clock_skew_seconds', value: scanner.skewSeconds },
    { name: 'ergon_retail_price_sun', value: Number(selling.price) },
    { name: 'ergon_unverified_credit_trx', value: Number(unverified.lent) / SUN_PER_TRX },
    { name: 'ergon_unverified_credit_max_trx', value: Number(unverified.most) / SUN_PER_TRX },
  ]
  readings.push(...recent, ...server, ...profit, ...compared, ...hotWallet)
  readings.push({ name: 'ergon_audit_pass_ratio', value: books.passDone })
  const burned = Number(bandwidth.burned.sun) / SUN_PER_TRX
  readings.push({ name: 'ergon_bandwidth_burned_trx', value: burned })
  if (bandwidth.now) {
    const { left, ordersLeft } = bandwidth.now
    readings.push({ name: 'ergon_bandwidth_left', value: Number(left) })
    readings.push({ name: 'ergon_bandwidth_orders_left', value: Number(ordersLeft) })
  }
  for (const { invariant: label, ageMs, failures } of books.ages) {
    readings.push({ name: 'ergon_invariant_age_seconds', label, value: ageMs / 1000 })
    readings.push({ name: 'ergon_invariant_failures', label, value: failures })
  }
  for (const { what, count } of all) {
    readings.push({ name: 'ergon_stuck_work', label: what, value: Number(count) })
  }
  for (const [loop, count] of aside.byLoop) {
    readings.push({ name: 'ergon_put_aside', label: loop, value: Number(count) })
  }
  for (const { name, enabled } of turned) {
    readings.push({ name: 'ergon_switch_enabled', label: name, value: Number(enabled) })
  }
  if (selling.wholesale !== undefined) {
    const value = Number(selling.wholesale) / Number(USUAL)
    readings.push({ name: 'ergon_wholesale_price_sun', value })
  }
  if (solvent.reconciliation) {
    const ageMs = clock.now().getTime() - solvent.reconciliation.readAt.getTime()
    readings.push({ name: 'ergon_reconciliation_age_seconds', value: ageMs / 1000 })
    const value = Number(solvent.reconciliation.hot) / SUN_PER_TRX
    readings.push({ name: 'ergon_hot_wallet_trx', value })
  }
  for (const { owner, unit } of costing.stakes) {
    const label = toBase58(owner as HexAddress)
    if (unit !== null) {
      readings.push({ name: 'ergon_own_stake_cost_sun', label, value: Number(unit) })
    }
  }
  for (const { name: label, unable, fillBps, unitPrice, capacity, float } of health) {
    const of = (name: string, value: number) => readings.push({ name, label, value })
    of('ergon_provider_healthy', Number(unable === null))
    of('ergon_provider_fill_ratio', Number(fillBps) / 10_000)
    if (unitPrice !== null) of('ergon_provider_price_sun', Number(unitPrice))
    if (capacity !== null) of('ergon_provider_capacity_energy', Number(capacity))
    if (float !== null) of('ergon_provider_float_sun', Number(float))
  }
  return readings
}

async function readOrders({ orders, clock }: Deps): Promise<Reading[]> {
  const rows = await orders.countSince(new Date(clock.now().getTime() - RECENT_MS))
  const counts = new Map(rows.map(({ status, count }) => [status, Number(count)]))
  return RESULTS.map((result) => {
    const label = result.toLowerCase()
    return { name: 'ergon_orders_recent', label, value: counts.get(result) ?? 0 }
  })
}

/** Labels are products and providers alone: clients are too many. */
async function readProfit({ books }: Deps): Promise<Reading[]> {
  const sums = new Map<string, Reading>()
  const add = (name: string, label: string, amount: bigint) => {
    const before = sums.get(`${name} ${label}`)?.value ?? 0
    sums.set(`${name} ${label}`, { name, label, value: before + Number(amount) / SUN_PER_TRX })
  }
  for (const { product, provider, revenue, margin, providerCost } of await books.today()) {
    add('ergon_margin_day_trx', product!, margin)
    add('ergon_revenue_day_trx', product!, revenue)
    if (providerCost !== 0n) add('ergon_provider_cost_day_trx', provider!, providerCost)
  }
  return [...sums.values()]
}

async function readStatements({ statements, clock }: Deps): Promise<Reading[]> {
  const { open, claimed, ages } = await statements.pulse()
  const now = clock.now().getTime()
  const count = (label: string, value: bigint) => ({
    name: 'ergon_statement_differences',
    label,
    value: Number(value),
  })
  return [
    count('open', open),
    count('claimed', claimed),
    ...ages.map(({ provider: label, since }) => ({
      name: 'ergon_statement_age_seconds',
      label,
      value: (now - since.getTime()) / 1000,
    })),
  ]
}

async function readHotWallet({ treasury }: Deps): Promise<Reading[]> {
  const { set, outlook } = await treasury.view.hotWallet()
  if (!set?.enabled || !outlook) return []
  return [
    { name: 'ergon_hot_wallet_after_day_trx', value: Number(outlook.afterDay) / SUN_PER_TRX },
    { name: 'ergon_hot_wallet_floor_trx', value: Number(set.floor) / SUN_PER_TRX },
  ]
}

/** Nothing where the administrator may not see it: the other gauges do not depend on it. */
async function readServer({ db }: Deps): Promise<Reading[]> {
  const health = await readServerHealth(db).catch(() => undefined)
  if (!health) return []
  const { archiver, standbys, hanging } = health
  const older = (kind: 'commit' | 'idle', seconds: number) =>
    hanging.filter((one) => one.kind === kind && one.seconds > seconds).length
  return [
    { name: 'ergon_archiver_failing', value: Number(archiver.isFailing) },
    { name: 'ergon_standbys', value: standbys.length },
    {
      name: 'ergon_standby_lag_seconds',
      value: Math.max(0, ...standbys.map(({ lagSeconds }) => lagSeconds ?? 0)),
    },
    { name: 'ergon_commits_waiting', value: older('commit', COMMIT_SECONDS_MAX) },
    { name: 'ergon_idle_transactions', value: older('idle', IDLE_SECONDS_MAX) },
  ]
}

function isStuck(all: Status['all'], name: string): boolean {
  return all.some(({ what, count }) => what === name && count > 0n)
}
