import { toBase58 } from '@ergon/tron'
import type { Rooms } from '../../service/app/rooms.ts'
import { SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { isOnChain } from './energy.ts'
import type { Life } from './scheduler.ts'
import { signerFilesOf } from './signerFiles.ts'
import type { Simulation } from './simulation.ts'

// Surplus and top-ups: a person spends balances at marketplaces, decides what is missing, and checks that no TRX of
// clients left, that no need was served twice, and that what is booked as arrived is what was credited.

const TRX = 1_000_000n
/** TRX of the operator on the hot wallet. */
const ENDOWMENT = 3_000n * TRX
const FLOOR = 50n * TRX
const CEILING = 150n * TRX
/** Marketplaces of the scene with floats. */
const NAMES = ['catfee', 'tronzap'] as const
const FATES = ['credited', 'credited', 'late', 'never', 'other'] as const

/** The cold address of the scene. */
export const coldOf = ({ world }: Simulation) => toBase58(world.chain.network.funded[6]!.address)

type Row = {
  id: string
  kind: string
  provider: string | null
  state: string
  txid: string
  to: string
  amount: string
  credited: string | null
}

const transfersOf = (sim: Simulation) =>
  sim.database.sql<Row>(`
    select id, kind, provider, state, txid, to_address as "to", amount_sun::text as amount, credited_sun::text as credited
      from treasury.transfer order by id`)

/** The operator's own TRX, and settings that are on. */
export async function openFloats(sim: Simulation): Promise<void> {
  const { world, database, markets } = sim
  world.transfer(SANDBOX_HOT_ADDRESS, ENDOWMENT, world.chain.network.funded[0]!)
  // No deposit of a client.
  world.sent.pop()
  world.mine()
  const said = `'ann', '2030-01-01Z', 'a run'`
  await database.sql(
    `insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
     values ('top_up_arrived', 'opening', '01930000-0000-7000-8000-000000000001', 'asset:hot', 'equity:operator', $1, '', '2029-12-31Z')`,
    [ENDOWMENT],
  )
  await database.sql(
    `insert into treasury.hot_wallet (enabled, floor_sun, ceiling_sun, cold_address, changed_by, changed_at, reason)
     values (true, $1, $2, $3, ${said})`,
    [10n * TRX, 100n * TRX, coldOf(sim)],
  )
  for (const name of NAMES) {
    await database.sql(
      `insert into treasury.float
         (provider, enabled, deposit_address, floor_sun, ceiling_sun, daily_cap_sun, changed_by, changed_at, reason)
       values ($1, true, $2, $3, $4, $5, ${said})`,
      [name, toBase58(markets!.standIn(name).delegator), FLOOR, CEILING, 100_000n * TRX],
    )
    markets!.standIn(name).drain(CEILING)
  }
}

/** Spends balances while no top-up is on its way. */
export async function runSpender(sim: Simulation, life: Life, acts: number): Promise<void> {
  for (let done = 0; done < acts && !sim.isCalm; done++) {
    await sim.rest(life)
    if (!sim.isCalm) await spend(sim, life, life.random.pick(NAMES))
  }
}

async function spend(sim: Simulation, life: Life, name: (typeof NAMES)[number]) {
  const alive = await awaited(sim)
  if (alive.some(({ provider }) => provider === name)) return
  const { random } = life
  const market = sim.markets!.standIn(name)
  const topUp = random.pick(FATES)
  market.change({ ...market.script(), topUp })
  const left = BigInt(random.below(60)) * TRX
  market.drain(left)
  sim.trace(`${name} has ${left} SUN left; the next top-up is ${topUp}`)
}

const awaited = async (sim: Simulation) =>
  (await transfersOf(sim)).filter(({ state }) => ['requested', 'solid', 'missing'].includes(state))

/** A person decides what is missing, by what the marketplace says of the transaction. */
export async function decideMissing(sim: Simulation, { treasury }: Rooms): Promise<number> {
  const missing = (await transfersOf(sim)).find(({ state }) => state === 'missing')
  if (!missing) return 0
  const { id, provider, txid, amount } = missing
  const market = sim.markets!.standIn(provider!)
  const credited = market.topUps().find((one) => one.txid === txid)?.credited ?? 0n
  const isWaiting = credited === 0n && market.script().topUp === 'late'
  const gone = isWaiting ? { as: 'wait' as const } : { as: 'lost' as const }
  const decision = credited > 0n ? { as: 'arrived' as const, credited } : gone
  await treasury.decide(id, decision, { who: 'ann', why: 'looked at' })
  sim.trace(`top-up of ${amount} at ${provider}: ${decision.as}`)
  return 1
}

/** Invariants of the treasury that hold at every moment. */
export async function brokenFloats(sim: Simulation): Promise<string[]> {
  const rows = sim.markets ? await transfersOf(sim) : []
  if (rows.length === 0) return []
  return [
    ...brokenNeeds(rows),
    ...brokenArrivals(sim, rows),
    ...(await brokenCover(sim)),
    ...brokenChain(sim, rows),
  ]
}

function brokenNeeds(rows: readonly Row[]): string[] {
  const alive = rows.filter(({ state }) => ['requested', 'solid', 'missing'].includes(state))
  const byNeed = Map.groupBy(alive, ({ kind, provider }) => `${kind} ${provider}`)
  return [...byNeed].flatMap(([need, some]) =>
    some.length > 1 ? [`${some.length} transfers for ${need} are alive at once`] : [],
  )
}

function brokenArrivals({ markets }: Simulation, rows: readonly Row[]): string[] {
  return rows.flatMap(({ provider, state, txid, credited }) => {
    if (state !== 'arrived' || provider === null) return []
    const seen = markets!
      .standIn(provider)
      .topUps()
      .find((one) => one.txid === txid)
    const is = seen?.credited ?? 0n
    return is === BigInt(credited!)
      ? []
      : [`top-up ${txid} is booked with ${credited} SUN, ${provider} has credited ${is}`]
  })
}

/** What is on addresses of ours by the books covers what clients are owed. */
async function brokenCover({ database }: Simulation): Promise<string[]> {
  const [row] = await database.sql<{ cover: string; owed: string }>(`
    select (select coalesce(sum(case when debit = any (a.ours) then amount_sun else 0 end
                              - case when credit = any (a.ours) then amount_sun else 0 end), 0)::text
              from ledger.movement, (select array['asset:hot', 'asset:deposit_addresses'] as ours) a) as cover,
           (select coalesce(sum(greatest(balance_sun, 0)), 0)::text from ledger.account) as owed`)
  if (BigInt(row!.cover) >= BigInt(row!.owed)) return []
  return [`clients are owed ${row!.owed} SUN, and ${row!.cover} cover them`]
}

/** Every transfer to a destination of the treasury is one of ours. */
function brokenChain({ world: { chain } }: Simulation, rows: readonly Row[]): string[] {
  const booked = rows.filter(({ state }) =>
    ['booked', 'solid', 'missing', 'arrived', 'lost'].includes(state),
  )
  return booked.flatMap(({ txid }) =>
    isOnChain(chain, txid) ? [] : [`transfer ${txid} is booked and not on the chain`],
  )
}

/** Transfers whose end is still to come. */
export async function unsettled(sim: Simulation): Promise<string[]> {
  if (!sim.markets) return []
  return (await awaited(sim)).map(({ txid, state }) => `treasury transfer ${txid} is ${state}`)
}

const CAPS = { hourlyTrx: 1_000_000, dailyTrx: 1_000_000, effectiveFrom: new Date(0).toISOString() }

/** The cold address and the marketplaces, as the signer's file names them. */
export function floatSignerFiles(sim: Simulation): string {
  const cold = sim.world.chain.network.funded[6]!.address
  const treasury = [cold, ...sim.markets!.owners()].map((one) => ({
    address: toBase58(one),
    ...CAPS,
  }))
  return signerFilesOf(sim, { treasury })
}
