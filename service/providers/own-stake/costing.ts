import { type HexAddress, NodeTrouble } from '@ergon/tron'
import type { Chain } from '../../chain/index.ts'
import type { Db, Tx } from '../../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../../kernel/index.ts'
import type { Signing } from '../../signing/index.ts'
import { costAtFullUse, costOfAll, costOfStake, type StakeTerms } from './cost.ts'
import {
  addCosting,
  addStakeCosts,
  type CostingRow,
  dropOverride,
  lockTerms,
  type OverrideRow,
  readCosting,
  readOverrides,
  readPast,
  readStakeCosts,
  readTerms,
  readUnit,
  type StakeCostRow,
  type TermsRow,
  writeOverride,
  writeTerms,
} from './costing.sql.ts'
import { energyOf, type Totals } from './stake.ts'

export type StakeCosting = {
  terms: TermsRow
  overrides: OverrideRow[]
  /** The costing that holds now; undefined before the first. */
  costing: CostingRow | undefined
  stakes: StakeCostRow[]
}

export type StakeTermsChange = Partial<StakeTerms> & { unit?: bigint | null }

export type StakeCosts = {
  /** SUN per Energy that the router compares now; every process reads the same row. */
  unit(totals: Totals): Promise<bigint>
  read(): Promise<StakeCosting>
  /** The loop works the cost out anew within half a minute. */
  change(tx: Tx, change: StakeTermsChange): Promise<TermsRow>
  /** A figure for one stake; null: worked out. */
  override(tx: Tx, owner: HexAddress, unit: bigint | null): Promise<void>
  loop: Loop
}

/** What became of own stake, from the room that delegates it. */
export type StakeUses = {
  /** The last block up to which all that happened is known, fees included; at most this one. */
  countedUpTo(tx: Tx, solid: number): Promise<bigint>
  /** Energy delegated for orders, and fees burned, in the blocks after `after` up to `upto`. */
  between(
    tx: Tx,
    after: bigint,
    upto: bigint,
  ): Promise<{ owner: string; energy: bigint; fees: bigint }[]>
  /** Stake that is delegated for orders now. */
  lent(tx: Tx): Promise<{ owner: string; stake: bigint }[]>
}

type Deps = {
  db: Db
  runtime: Pick<Runtime, 'clock'>
  log: Log
  chain: Chain
  signing: Signing
  uses: StakeUses
  /** There POST /sandbox/providers/own_stake says the figure; 0: it is worked out. */
  isSandbox: boolean
}

type Sample = { owner: string; staked: bigint; perDay: bigint; lent: bigint; totals: Totals }

const LOOK_MS = 20_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Works out what own stake costs, once an hour, in one process at a time. */
export function createStakeCosts(deps: Deps): StakeCosts {
  const { db, runtime, log, chain, signing, uses } = deps
  const { clock } = runtime

  /** Each stake as the chain has it; without one that is not on the chain. */
  async function readSamples(): Promise<Sample[]> {
    const owners = await signing.addresses('stake')
    const [first] = owners
    const resource = first && (await chain.node.getAccountResource(first))
    if (!resource || resource.totalEnergyLimit <= 0n || resource.totalEnergyWeight <= 0n) return []
    const totals = {
      energyLimit: resource.totalEnergyLimit,
      energyWeight: resource.totalEnergyWeight,
    }
    const accounts = await Promise.all(owners.map((owner) => chain.node.getAccount(owner)))
    return owners.flatMap((owner, place) => {
      const account = accounts[place]
      if (!account) return []
      const { frozen, delegatedForEnergy: lent, delegatedForBandwidth } = account
      const forEnergy = frozen.ENERGY + lent
      const staked = forEnergy + frozen.BANDWIDTH + delegatedForBandwidth
      return [{ owner, staked, perDay: energyOf(forEnergy, totals), lent, totals }]
    })
  }

  async function isDue(tx: Pick<Tx, 'query'>, now: Date, terms: TermsRow | undefined) {
    const [last] = await tx.query(readCosting, [now])
    if (!last) return { last, due: true }
    const isChanged = terms?.changedAt != null && terms.changedAt >= last.at
    const isOld = now.getTime() - last.at.getTime() >= HOUR_MS
    return { last, due: now > last.at && (isChanged || isOld) }
  }

  async function work(): Promise<number> {
    const [known] = await db.query(readTerms)
    if (!(await isDue(db, clock.now(), known)).due) return 0
    const progress = await chain.progress()
    if (!progress) return 0
    // The node is asked outside of the transaction, which would hold its lock meanwhile.
    const samples = await readSamples().catch((error: unknown) => {
      if (!(error instanceof NodeTrouble)) throw error
      log.warn('stake_cost_waits', { reason: error.message })
      return []
    })
    if (samples.length === 0) return 0
    await db.transaction(async (tx) => {
      const [terms] = await tx.query(lockTerms)
      const now = clock.now()
      const { last, due } = await isDue(tx, now, terms)
      if (due && terms)
        await workOut(tx, { now, terms, last, samples, solid: progress.solidNumber })
    })
    return 0
  }

  async function workOut(
    tx: Tx,
    at: {
      now: Date
      terms: TermsRow
      last: CostingRow | undefined
      samples: Sample[]
      solid: number
    },
  ): Promise<void> {
    const { now, terms, last, samples } = at
    const counted = await uses.countedUpTo(tx, at.solid)
    const upto = last && last.uptoBlock > counted ? last.uptoBlock : counted
    // The first costing begins the history.
    const used = byOwner(last ? await uses.between(tx, last.uptoBlock, upto) : [])
    const lent = byOwner(await uses.lent(tx))
    const overrides = byOwner(await tx.query(readOverrides))
    const past = byOwner(
      await tx.query(readPast, [new Date(now.getTime() - Number(terms.days) * DAY_MS)]),
    )
    const beganAt = last?.at ?? now
    const seconds = BigInt(Math.round((now.getTime() - beganAt.getTime()) / 1000))
    const rows = samples.map((sample) => {
      const { owner, staked, perDay, totals } = sample
      const standingStake = sample.lent - (lent.get(owner)?.stake ?? 0n)
      // The chain and our rows are read at two moments.
      const standing = standingStake > 0n ? energyOf(standingStake, totals) : 0n
      const orders = used.get(owner)?.energy ?? 0n
      const fees = used.get(owner)?.fees ?? 0n
      const use = joined(past.get(owner), { seconds, staked, perDay, standing, orders, fees })
      const own = overrides.get(owner)?.unit
      const cost = costOfStake(use, terms)
      const shown = own === undefined ? cost : { ...cost, unit: own }
      return {
        owner,
        staked,
        perDay,
        standing,
        orders,
        fees,
        isOverride: own !== undefined,
        cost: shown,
      }
    })
    const { yieldBps, floorBps, days } = terms
    const unit = terms.unit ?? costOfAll(rows.map(({ cost }) => cost)) ?? null
    await tx.query(addCosting, [now, beganAt, upto, yieldBps, floorBps, days, unit])
    const column = <T>(pick: (row: (typeof rows)[number]) => T) => rows.map(pick)
    await tx.query(addStakeCosts, [
      now,
      column((row) => row.owner),
      column((row) => row.staked),
      column((row) => row.perDay),
      column((row) => row.standing),
      column((row) => row.orders),
      column((row) => row.fees),
      column((row) => row.cost.seconds),
      column((row) => row.cost.staked),
      column((row) => row.cost.yielded),
      column((row) => row.cost.fees),
      column((row) => row.cost.sold),
      column((row) => row.cost.produced),
      column((row) => row.cost.expected),
      column((row) => row.cost.unit ?? null),
      column((row) => row.isOverride),
    ])
  }

  return {
    async unit(totals) {
      const [row] = await db.query(readUnit, [clock.now()])
      const { yieldBps, byHand, scripted, costed } = row!
      if (byHand !== null) return byHand
      if (deps.isSandbox && scripted > 0n) return scripted
      return costed ?? costAtFullUse(yieldBps, totals) ?? 1n
    },
    async read() {
      const [[terms], overrides, [costing]] = await Promise.all([
        db.query(readTerms),
        db.query(readOverrides),
        db.query(readCosting, [clock.now()]),
      ])
      const stakes = costing ? await db.query(readStakeCosts, [costing.at]) : []
      return { terms: terms!, overrides, costing, stakes }
    },
    async change(tx, change) {
      const [before] = await tx.query(lockTerms)
      const { yieldBps, floorBps, days, unit } = { ...before!, ...change }
      await tx.query(writeTerms, [yieldBps, floorBps, days, unit, clock.now()])
      return { ...before!, yieldBps, floorBps, days, unit, changedAt: clock.now() }
    },
    async override(tx, owner, unit) {
      const [before] = await tx.query(lockTerms)
      const { yieldBps, floorBps, days, unit: all } = before!
      if (unit === null) await tx.query(dropOverride, [owner])
      else await tx.query(writeOverride, [owner, unit])
      await tx.query(writeTerms, [yieldBps, floorBps, days, all, clock.now()])
    },
    loop: createLoop({ name: 'providers.stakeCost', everyMs: LOOK_MS, log, work }),
  }
}

function byOwner<Row extends { owner: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.owner, row]))
}

type Use = Parameters<typeof costOfStake>[0]

/** The past with what happened since the last costing; averages weighted by time. */
function joined(past: Use | undefined, now: Use): Use {
  if (!past) return now
  const seconds = past.seconds + now.seconds
  const mean = (of: 'staked' | 'perDay' | 'standing') =>
    seconds === 0n ? now[of] : (past[of] * past.seconds + now[of] * now.seconds) / seconds
  return {
    seconds,
    staked: mean('staked'),
    perDay: mean('perDay'),
    standing: mean('standing'),
    orders: past.orders + now.orders,
    fees: past.fees + now.fees,
  }
}
