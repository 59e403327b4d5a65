import type { Books, Statements } from '../books/index.ts'
import type { Chain } from '../chain/index.ts'
import { type Aside, type Db, readAside } from '../db/index.ts'
import type { Delivery } from '../delivery/index.ts'
import type { Deposits, Recorded } from '../deposits/index.ts'
import { type Clock, counted, exactTrx, formatTrx } from '../kernel/index.ts'
import type { Orders } from '../orders/index.ts'
import type { Pricing } from '../pricing/index.ts'
import type { HealthRow, Providers } from '../providers/index.ts'
import type { Signing } from '../signing/index.ts'
import type { Staking } from '../staking/index.ts'
import type { Treasury } from '../treasury/index.ts'
import type { Webhooks } from '../webhooks/index.ts'
import type { Adjustments } from './adjustments.ts'
import { type Bandwidth, createBandwidth } from './bandwidth.ts'
import { readSizes, type Size, sizesSentence } from './sizes.ts'

export type Stuck = {
  what: string
  count: bigint
  sentence: string
  since: Date | null
  page: string
}
type Answer = { ok: boolean; sentence: string }

export type Status = {
  selling: Answer & {
    price: bigint
    wholesale: bigint | undefined
    sizes: Size[]
  }
  solvent: Answer & { reconciliation: Recorded | undefined }
  stuck: Answer & { work: Stuck[] }
  /** All kinds of stuck work, including those with a count of zero. */
  all: Stuck[]
  /** How old the proofs of the invariants are, oldest first. */
  books: Answer & { ages: Age[]; passDone: number }
  /** `trouble`: the block that cannot be read, and why; null while blocks are read. */
  scanner: {
    block: number
    solidBlock: number
    lagSeconds: number
    skewSeconds: number
    trouble: string | null
  }
  bandwidth: Bandwidth
  /** Things that failed and are tried again: the longest first, and how many in each loop. */
  aside: { rows: Aside[]; byLoop: ReadonlyMap<string, bigint> }
}

/** From the auditor, which is on the same floor; `app` passes it in. */
export type Findings = {
  foundSince(since: Date): Promise<bigint>
  proofs: { ages(): Age[]; unproven(): string | undefined }
  pass(): Promise<{ done: number; passes: bigint }>
}
type Age = { invariant: string; ageMs: number; failures: number }

export type StatusDeps = {
  db: Db
  clock: Clock
  adjustments: Adjustments
  audit: Findings
  books: Books
  chain: Chain
  delivery: Delivery
  deposits: Deposits
  orders: Orders
  pricing: Pricing
  providers: Providers
  signing: Signing
  statements: Statements
  staking: Staking
  treasury: Treasury
  webhooks: Webhooks
}

/** Number of usual orders that should be prepaid at a marketplace. */
const FLOAT_ORDERS_MIN = 10n

/** Order size for quoting the wholesale price. */
export const USUAL = 65_000n
const WAITS_MS_MAX = 10_000
/** Three rounds of the reconciliation. */
const RECONCILED_MS_MAX = 1_800_000
const DAY_MS = 86_400_000
const ASIDE_SHOWN = 100
/** Fifteen runs of the auditor. */
export const PROVEN_MS_MAX = 900_000

/** The first page: are we selling, are we solvent, is anything stuck. */
export function createStatus(deps: StatusDeps): () => Promise<Status> {
  const { db, clock, deposits } = deps
  const readBandwidth = createBandwidth(deps)
  return async () => {
    const now = clock.now().getTime()
    const [selling, scanner, books, recorded, work, aside, bandwidth] = await Promise.all([
      readSelling(deps),
      readScanner(deps),
      readBooks(deps),
      deposits.reconciling().recorded(),
      readWork(deps),
      readAside(db, clock.now(), ASIDE_SHOWN),
      readBandwidth(),
    ])
    const all = [...chainWork(deps), ...work, asideWork(aside)]
    const stuck = all.filter(({ count }) => count > 0n)
    return {
      all,
      selling,
      solvent: solvencyOf(recorded, now),
      stuck: {
        ok: stuck.length === 0,
        sentence: stuck.length === 0 ? 'Nothing is stuck.' : lookWords(stuck.length),
        work: stuck,
      },
      books,
      scanner: { ...scanner, trouble: scannerTrouble(aside.rows, scanner.block) },
      bandwidth,
      aside,
    }
  }
}

const lookWords = (count: number) =>
  `${counted(count, 'thing')} ${count === 1 ? 'needs' : 'need'} a look.`

export async function readSelling(
  deps: Pick<StatusDeps, 'audit' | 'chain' | 'orders' | 'pricing' | 'delivery'>,
): Promise<Status['selling']> {
  const { audit, chain, orders, pricing, delivery } = deps
  const { enabled, reason } = await orders.selling()
  const wholesale = delivery.costOf(USUAL)
  const price = pricing.unitPrice()
  const retail = price * USUAL
  const sizes = readSizes(deps)
  const prices = { price, wholesale, sizes }
  if (!enabled) return { ok: false, sentence: `Switched off: ${reason ?? 'no reason'}.`, ...prices }
  const unproven = audit.proofs.unproven()
  if (unproven) return { ok: false, sentence: `${unproven} Nothing is sold meanwhile.`, ...prices }
  const behind = chain.lag.behind()
  if (behind)
    return { ok: false, sentence: `${behind.sentence} Nothing is sold meanwhile.`, ...prices }
  if (sizes.every(({ cost }) => cost === undefined)) {
    return { ok: false, sentence: 'Nobody offers Energy: every purchase is refused.', ...prices }
  }
  if (sizes.every(({ why }) => why !== null)) {
    const isDear = sizes.every(({ cost }) => cost !== undefined)
    const dear = 'Energy costs us more than this hour brings.'
    return { ok: false, sentence: isDear ? dear : sizesSentence(sizes), ...prices }
  }
  const leaves =
    wholesale === undefined
      ? 'Selling.'
      : `Selling; 65,000 Energy leave ${exactTrx(formatTrx(retail - wholesale))} TRX.`
  return { ok: true, sentence: `${leaves}${sizesSentence(sizes)}`, ...prices }
}

async function readBooks({ audit }: StatusDeps): Promise<Status['books']> {
  const ages = audit.proofs.ages()
  const { invariant, ageMs } = ages[0]!
  const { done, passes } = await audit.pass()
  const oldest = `The oldest proof is that of ${invariant}, ${counted(Math.round(ageMs / 60_000), 'minute')} old.`
  const pass = `Full pass ${passes + 1n} over all history: ${Math.floor(done * 100)} %.`
  return { ok: ageMs <= PROVEN_MS_MAX, sentence: `${oldest} ${pass}`, ages, passDone: done }
}

async function readScanner({
  chain,
  clock,
}: StatusDeps): Promise<Omit<Status['scanner'], 'trouble'>> {
  const at = await chain.progress()
  const skewSeconds = Math.round(chain.lag.skew.ms() / 100) / 10
  if (!at) return { block: 0, solidBlock: 0, lagSeconds: 0, skewSeconds }
  const lagMs = clock.now().getTime() - at.time.getTime()
  const lagSeconds = Math.max(0, Math.round(lagMs / 1000))
  return { block: at.number, solidBlock: at.solidNumber, lagSeconds, skewSeconds }
}

/** Not of a block that another scanner has read meanwhile. */
function scannerTrouble(rows: readonly Aside[], block: number): string | null {
  const heightOf = ({ subject }: Aside) => Number(subject.split(' ')[1])
  const failed = rows.find((row) => row.loop === 'chain.scan' && heightOf(row) > block)
  if (!failed) return null
  return `The scanner stands before ${failed.subject}: ${failed.error}`
}

function asideWork(aside: { byLoop: ReadonlyMap<string, bigint>; oldest: Date | null }): Stuck {
  const count = [...aside.byLoop.values()].reduce((sum, one) => sum + one, 0n)
  const sentence = 'Things failed and are put aside; the others go on.'
  return { what: 'put_aside', count, sentence, since: aside.oldest, page: '/' }
}

function solvencyOf(reconciliation: Recorded | undefined, now: number): Status['solvent'] {
  if (!reconciliation) {
    return { ok: false, sentence: 'Not known: nobody has reconciled yet.', reconciliation }
  }
  const { surplus, readAt } = reconciliation
  if (surplus < 0n) {
    const sentence = `SHORT by ${exactTrx(formatTrx(-surplus))} TRX: what the chain holds does not cover what we owe.`
    return { ok: false, sentence, reconciliation }
  }
  const age = now - readAt.getTime()
  if (age > RECONCILED_MS_MAX) {
    const sentence = `Not known: the last reconciliation is ${counted(Math.round(age / 60_000), 'minute')} old.`
    return { ok: false, sentence, reconciliation }
  }
  return {
    ok: true,
    sentence: `${exactTrx(formatTrx(surplus))} TRX more than we owe.`,
    reconciliation,
  }
}

/** Also listed with a count of zero, which alerts need. */
function chainWork({ chain: { lag } }: StatusDeps): Stuck[] {
  const behind = lag.behind()
  const isBehind = behind !== undefined && behind.reason !== 'recovery'
  const row = (what: string, isSo: boolean, sentence: string) => {
    return { what, count: isSo ? 1n : 0n, sentence, since: null, page: '/treasury' }
  }
  return [
    row('scanner_lag', isBehind, `${behind?.sentence} Deposits and deliveries are not seen.`),
    row(
      'recovery',
      behind?.reason === 'recovery',
      `${behind?.sentence} Nothing is signed or sold.`,
    ),
    row('clock_skew', lag.skew.isLarge(), lag.skew.sentence()),
  ]
}

/** Kinds of stuck work: where the console shows them, and what they mean. */
const KINDS = {
  audit_findings: ['/audit', 'The books did not add up within the last day.'],
  books_differ: ['/books', 'The profit and loss of some days is not what the ledger says.'],
  statement_differences: ['/books', 'Marketplaces charged what our books do not have.'],
  statements_unread: ['/books', 'Statements of marketplaces were not compared for 30 hours.'],
  unproven: ['/audit', 'Invariants were not proven for 15 minutes; at 60 selling stops.'],
  outflows: [
    '/treasury',
    'Transactions of our keys have no row of ours: in recovery, and signing is off.',
  ],
  signatures_refused: ['/switches', 'The signer refused requests within the last day.'],
  undecided: ['/undecided', 'Deliveries wait for a decision.'],
  near_deadline: ['/orders', 'Orders have under 30 s left.'],
  not_started: ['/orders', 'Paid orders wait for a worker.'],
  unsigned: ['/switches', 'Transactions wait for the signer.'],
  unbroadcast: ['/treasury', 'Transactions were sent several times and are in no block.'],
  webhooks_disabled: ['/accounts', 'Webhooks were switched off by their failures.'],
  webhooks_overdue: ['/switches', 'Webhook deliveries are a minute late.'],
  floats_low: ['/', 'Marketplaces hold less of ours than ten usual orders cost.'],
  payouts: ['/treasury', 'Payouts wait for a second operator.'],
  stake_operations: ['/treasury', 'What is to be done with stakes waits for operators.'],
  stake_stuck: ['/treasury', 'What is done with stakes has been under way for over an hour.'],
  adjustments: ['/accounts', 'Adjustments wait for a second operator.'],
  sweeps_refused: ['/treasury', 'Sweeps were refused within the last hour.'],
  hot_wallet_short: ['/treasury', 'The hot wallet will be below its floor within a day.'],
  top_ups_missing: ['/treasury', 'Top-ups have not arrived at marketplaces: a person decides.'],
} as const

async function readWork(deps: StatusDeps): Promise<Stuck[]> {
  const { adjustments, audit, chain, clock, delivery, deposits, orders, signing, webhooks } = deps
  const { books, providers, staking } = deps
  const now = clock.now().getTime()
  const [outflows, refused, different, statements, stakes, hotWallet, missing] = await Promise.all([
    signing.outflows.count(),
    signing.refused(),
    books.different(),
    deps.statements.pulse(),
    staking.pulse(),
    deps.treasury.view.hotWallet(),
    deps.treasury.missing(),
  ])
  const isShort = hotWallet.set?.enabled === true && hotWallet.outlook?.isShort === true
  const [pulse, pending, unsent, unsigned, hooks, treasury, found, waiting, health] =
    await Promise.all([
      delivery.outlook.pulse(),
      orders.pending(),
      chain.broadcasts.stuck(),
      signing.waiting(),
      webhooks.pulse(),
      deposits.treasury(),
      audit.foundSince(new Date(now - DAY_MS)),
      adjustments.waiting(),
      providers.health(),
    ])
  const poor = health.filter(isPoor).length
  const unproven = audit.proofs.ages().filter(({ ageMs }) => ageMs > PROVEN_MS_MAX).length
  /** Recent work does not count as stuck. */
  const old = (count: bigint, since: Date | null) =>
    since && now - since.getTime() > WAITS_MS_MAX ? count : 0n
  const row = (what: keyof typeof KINDS, count: bigint, since: Date | null = null): Stuck => {
    const [page, sentence] = KINDS[what]
    return { what, count, sentence, since, page }
  }
  return [
    row('audit_findings', found),
    row('books_differ', different),
    row('statement_differences', statements.open, statements.since),
    row('statements_unread', statements.unread),
    row('unproven', BigInt(unproven)),
    row('outflows', outflows.count, outflows.oldest),
    row('signatures_refused', refused.count, refused.oldest),
    row('undecided', pulse.undecided, pulse.undecidedSince),
    row('near_deadline', pulse.nearDeadline),
    row('not_started', old(pending.count, pending.oldest), pending.oldest),
    row('unsigned', old(unsigned.count, unsigned.oldest), unsigned.oldest),
    row('unbroadcast', unsent.count),
    row('webhooks_disabled', hooks.disabled),
    row('webhooks_overdue', hooks.overdue),
    row('floats_low', BigInt(poor)),
    row('payouts', treasury.payoutsRequested),
    row('stake_operations', stakes.waiting, stakes.waitingSince),
    row('stake_stuck', stakes.stuck, stakes.stuckSince),
    row('adjustments', waiting.count, waiting.oldest),
    row('sweeps_refused', treasury.refusedSweeps),
    row('hot_wallet_short', isShort ? 1n : 0n),
    row('top_ups_missing', missing.count, missing.oldest),
  ]
}

/** Whether the prepaid balance is low; a disabled provider needs none. */
function isPoor({ enabled, float, unitPrice }: HealthRow): boolean {
  if (!enabled || float === null) return false
  return float < FLOAT_ORDERS_MIN * USUAL * (unitPrice ?? 1n)
}
