import { decodeTransaction } from '@ergon/tron'
import { brokenInvariants } from '../../testing/invariants.ts'
import { type Seeded, seeded } from '../../testing/seeded.ts'
import { until } from '../../testing/until.ts'
import { type Fault, faults, type Load, type Measured } from './faults.ts'
import { type OpenDatabases, openChaosWorld, type World } from './world.ts'

export type ChaosOptions = Load & {
  seed: number
  accounts: number
  /** The balance of each account. */
  trx: number
  /** Ends when all of these counts are reached, or the time is over. */
  answers: number
  orders: number
  seconds: number
  /** How often all sessions have to be terminated. */
  terminations: number
  /** Purchases acknowledged between two faults. */
  purchasesBetween: number
  report(line: string): void
  /** Other faults than all of them, each so many times. */
  chosen?: { faults: Readonly<Record<string, Fault>>; times: number }
  /** Other servers than two of our own. */
  openDatabases?: OpenDatabases
}

export type ChaosReport = Measured & {
  /** Answers to purchases, by status and body. */
  seen: Record<string, number>
  faults: Record<string, number>
  answers: number
  acknowledged: number
  completed: number
  refunded: number
  refusals: number
  /** Statements that failed because a file could not grow. */
  fileLimits: number
  /** Energy delivered in time for an order that was refunded, or above AutoEnergy's limit. */
  energyForNothing: bigint
  loadSeconds: number
  violations: string[]
}

const PATIENCE_MS = 120_000

/** Injects faults under load, repairs them, and reports what was lost. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, report, perSecond, readers } = options
  const world = await openChaosWorld(options)
  const random = seeded(seed)
  const measured: Measured = {
    sellingAgainMs: [],
    withoutSalesMs: [],
    replacedMs: [],
    perSecondAtKill: [],
    sessionsEnded: [],
    soldBlind: [],
  }
  const injected: Record<string, number> = {}
  try {
    const { witness } = world
    const fromMs = performance.now()
    witness.load(perSecond, readers)
    await until('load', () => witness.tally().acknowledged > options.purchasesBetween, PATIENCE_MS)
    const kinds = options.chosen?.faults ?? faults
    const names = Object.keys(kinds)
    for (const name of options.chosen ? repeated(names, options.chosen.times) : schedule(random)) {
      const isAll = !options.chosen && Object.keys(injected).length === names.length
      const { length: terminations } = measured.sessionsEnded
      if (isAll && terminations >= options.terminations && isEnough(world, options, fromMs)) break
      report(`${elapsed(fromMs)} ${name}: ${summaryOf(world)}`)
      await kinds[name]!(world, random, { ...measured, load: options })
      injected[name] = (injected[name] ?? 0) + 1
      const { acknowledged } = witness.tally()
      await until(
        `purchases after "${name}"`,
        () => witness.tally().acknowledged >= acknowledged + options.purchasesBetween,
        PATIENCE_MS,
      )
    }
    const loadSeconds = Math.round((performance.now() - fromMs) / 1_000)
    report(`${elapsed(fromMs)} peace: ${summaryOf(world)}`)
    const ended = await settle(world, report)
    ended.violations.push(...selfMade(world, measured))
    report(`Energy given for nothing: ${ended.energyForNothing}`)
    const fileLimits = world.logs().split('File too large').length - 1
    return { ...measured, ...ended, fileLimits, faults: injected, loadSeconds }
  } catch (error) {
    for (const { name, complaints } of world.children)
      report(`${name}: ${complaints.slice(-2_000)}`)
    throw error
  } finally {
    await world.close()
  }
}

/** Each of these so many times, in turns. */
const repeated = (names: string[], times: number) =>
  Array.from({ length: times }, () => names).flat()

/** All faults in a random order, repeatedly. */
function* schedule(random: Seeded): Generator<string> {
  for (;;) {
    const rest = Object.keys(faults)
    while (rest.length > 0) yield rest.splice(random.below(rest.length), 1)[0]!
  }
}

function isEnough({ witness }: World, wanted: ChaosOptions, fromMs: number): boolean {
  const { answers, acknowledged } = witness.tally()
  if (performance.now() - fromMs > wanted.seconds * 1_000) return true
  return answers >= wanted.answers && acknowledged >= wanted.orders
}

const elapsed = (fromMs: number) => `${((performance.now() - fromMs) / 1_000).toFixed(1)} s`

function summaryOf({ witness }: World): string {
  const { acknowledged, answers, refusals, violations } = witness.tally()
  return `${acknowledged} purchases, ${answers} answers, ${refusals} refusals, ${violations.length} violations`
}

/** Waits until all work has ended without faults, then checks everything that was acknowledged. */
async function settle(world: World, report: (line: string) => void) {
  const { witness, wires } = world
  for (const one of wires) one.mend()
  await Promise.all(world.sleeping)
  await witness.rest()
  const open = async () => {
    const [row] = await world
      .primary()
      .sql<{ open: number }>(
        `select count(*)::int as open from orders.purchase_order where status not in ('COMPLETED', 'FAILED')`,
      )
    return row!.open
  }
  let least = await open()
  let leastMs = performance.now()
  await until(
    'every order is final',
    async () => {
      const now = await open()
      if (now < least) [least, leastMs] = [now, performance.now()]
      // Orders that cannot be delivered any more end by their deadline, so move the clock.
      if (performance.now() - leastMs > 15_000) {
        await world.call('/sandbox/clock', { advance_seconds: 130 })
        leastMs = performance.now()
      }
      return now === 0
    },
    600_000,
  )
  const verdict = await witness.verify()
  const violations = [...witness.tally().violations, ...verdict.violations]
  if (verdict.open > 0) violations.push(`${verdict.open} orders are not final`)
  violations.push(...(await looseEnds(world)))
  const { answers, acknowledged, refusals, seen } = witness.tally()
  report(
    `${verdict.completed} delivered, ${verdict.failed} refunded, ${violations.length} violations`,
  )
  const { completed, failed: refunded } = verdict
  const energyForNothing = await readEnergyForNothing(world)
  if (energyForNothing > 0n) violations.push(`${energyForNothing} Energy was given for nothing`)
  const counts = { answers, acknowledged, refusals, completed, refunded }
  return { ...counts, seen, energyForNothing, violations }
}

/** What no fault may cause: a process that ends by itself, a purchase while no block is read. */
function selfMade({ children }: World, { soldBlind }: Measured): string[] {
  const ended = children.flatMap(({ name, endings }) =>
    endings.map((complaint) => `${name} ended by itself: ${complaint}`),
  )
  const sold = soldBlind.reduce((sum, one) => sum + one, 0)
  return sold > 0 ? [...ended, `${sold} purchases while the scanners were held`] : ended
}

async function readEnergyForNothing(world: World): Promise<bigint> {
  const [row] = await world.primary().sql<{ energy: string }>(
    `select (coalesce(sum(d.energy), 0) + autoenergy.given_for_nothing())::text as energy
       from delivery.delegation d
       join delivery.attempt a on a.id = d.attempt_id
       join delivery.part p on p.id = a.part_id
       join delivery.request r on r.id = p.request_id
      where r.state = 'failed' and d.block_number is not null and d.delegated_at <= r.deadline_at`,
  )
  return BigInt(row!.energy)
}

/** Open work and violations, by the database and the chain. */
async function looseEnds(world: World): Promise<string[]> {
  const { witness, devnet } = world
  const sql = world.primary().sql
  const found = await brokenInvariants({ sql } as never)
  const [row] = await sql<{
    orders: number
    purchases: number
    credited: string
    selling: boolean
  }>(
    `select (select count(*)::int from orders.purchase_order) as orders,
            (select count(*)::int from ledger.movement where kind = 'purchase') as purchases,
            (select coalesce(sum(amount_sun), 0)::text from ledger.movement where kind = 'deposit') as credited,
            (select enabled from orders.selling) as selling`,
  )
  const { acknowledged } = witness.tally()
  const { orders, purchases, credited, selling } = row!
  if (orders !== acknowledged) found.push(`${acknowledged} were acknowledged, ${orders} are there`)
  if (purchases !== acknowledged) found.push(`${acknowledged} bought, ${purchases} charged`)
  if (BigInt(credited) !== world.paid()) found.push(`${world.paid()} paid, ${credited} credited`)
  if (!selling) found.push('the auditor has stopped the selling')
  const onChain = delegationsOn(devnet)
  const [booked] = await sql<{ count: number }>(
    `select count(*)::int as count from delivery.delegation`,
  )
  if (onChain !== booked!.count) found.push(`${onChain} delegations, ${booked!.count} in the books`)
  return found
}

function delegationsOn({ chain }: World['devnet']): number {
  let count = 0
  for (let number = 1; number <= chain.head.number; number++) {
    for (const bytes of chain.block(number)!.transactions) {
      if (decodeTransaction(bytes).raw.contract.type === 'DelegateResourceContract') count += 1
    }
  }
  return count
}
