import { parseAddress, toBase58 } from '@ergon/tron'
import type { Rooms } from '../../service/app/rooms.ts'
import { SANDBOX_STAKE_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import type { StakeWish } from '../../service/staking/index.ts'
import { approveStake } from '../testing/stakeApprovals.ts'
import { isOnChain } from './energy.ts'
import type { Life } from './scheduler.ts'
import { signerFilesOf } from './signerFiles.ts'
import type { Simulation } from './simulation.ts'

// Operators freeze, unfreeze, vote, claim, withdraw and cancel, and change their minds. Whatever fails meanwhile, each
// operation is done at most once, and the books of the stake are what the chain has.

const TRX = 1_000_000n
const OPEN = ['requested', 'approved', 'expired']

export const stakeSignerFiles = (sim: Simulation): string =>
  signerFilesOf(sim, {
    witnesses: [{ address: witnessOf(sim), effectiveFrom: new Date(0).toISOString() }],
  })

const witnessOf = ({ world }: Simulation) => toBase58(world.chain.network.witness.address)

/** One operator at the console. */
export async function runStaker(sim: Simulation, life: Life, acts: number): Promise<void> {
  const { random } = life
  for (let done = 0; done < acts && !sim.isCalm; done++) {
    await (random.once(2) ? sim.rest(life) : life.step('acts at once'))
    const what = random.below(8)
    if (what < 4) await ask(sim, life)
    else if (what < 7) await approveOpen(sim, life)
    else await stop(sim, life)
  }
}

function wishOf(sim: Simulation, { random }: Life): StakeWish {
  const actions = ['freeze', 'unfreeze', 'vote', 'claim', 'withdraw', 'cancel_unfreeze'] as const
  const action = random.pick(actions)
  const amount = TRX * BigInt(1 + random.below(50))
  const shares = [witnessOf(sim)]
  return { stake: '', action, amount, shares, isStanding: action === 'vote' && random.once(2) }
}

async function ask(sim: Simulation, life: Life): Promise<void> {
  const wish = wishOf(sim, life)
  const answer = await sim.call(life, ({ staking }) =>
    staking.request({ ...wish, reason: 'as it comes', by: life.name }),
  )
  if (answer) sim.trace(`${life.name}: ${wish.action} ${JSON.stringify(answer)}`)
}

async function approveOpen(sim: Simulation, life: Life): Promise<void> {
  await sim.call(life, async ({ staking }: Rooms) => {
    for (const { id, state, needsApproval } of await staking.list(20)) {
      if (!needsApproval || !OPEN.includes(state)) continue
      const answer = await approveStake(staking, id)
      sim.trace(`approved ${id}: ${JSON.stringify(answer)}`)
    }
  })
}

async function stop(sim: Simulation, life: Life): Promise<void> {
  await sim.call(life, async ({ staking }: Rooms) => {
    const open = (await staking.list(20)).filter(({ state }) => OPEN.includes(state))
    if (open.length === 0) return
    const { id } = life.random.pick(open)
    sim.trace(`stopped ${id}: ${JSON.stringify(await staking.cancel(id, life.name))}`)
  })
}

type Row = { id: string; state: string; action: string; txid: string | null; moved: string | null }

/** Invariants that hold at every moment. */
export async function brokenStakes(sim: Simulation): Promise<string[]> {
  const { chain } = sim.world
  const rows = await sim.database.sql<Row>(
    `select id, state, action, txid, moved_sun::text as moved from staking.operation order by id`,
  )
  if (rows.length === 0) return []
  const signed = await sim.database.sql<{ id: string; txid: string }>(
    `select r.payout_id as id, r.txid from signing.request r join signing.answer a on a.request_id = r.id
      where a.state = 'signed' and r.payout_id is not null order by r.id`,
  )
  const broken: string[] = []
  for (const { id, state, action, txid } of rows) {
    const mined = signed.filter((one) => one.id === id && isOnChain(chain, one.txid))
    const what = `${action} ${id}`
    if (mined.length > 1) broken.push(`${what} was done ${mined.length} times`)
    if (state === 'cancelled' && mined.length > 0) broken.push(`${what} is cancelled and was done`)
    if (state === 'done' && !mined.some((one) => one.txid === txid)) {
      broken.push(`${what} is done and not on the chain`)
    }
  }
  const found = await sim.database.sql<{ txid: string }>('select txid from signing.outflow')
  broken.push(...found.map(({ txid }) => `${txid} of our stake has no row`))
  return [...broken, ...(await brokenRewards(sim, rows))]
}

async function brokenRewards(sim: Simulation, rows: Row[]): Promise<string[]> {
  const claimed = rows
    .filter(({ action, state }) => action === 'claim' && state === 'done')
    .reduce((sum, { moved }) => sum + BigInt(moved!), 0n)
  const [booked] = await sim.database.sql<{ sun: string }>(
    `select coalesce(sum(amount_sun), 0)::text as sun from ledger.movement where kind = 'reward'`,
  )
  return BigInt(booked!.sun) === claimed
    ? []
    : [`claims have paid ${claimed} SUN, the ledger has ${booked!.sun} as rewards`]
}

/** When all work has ended, what is on the stake's account is what there was, and what the ledger has of it since. */
export async function brokenStakeBooks(sim: Simulation): Promise<string[]> {
  const rows = await sim.database.sql('select from staking.operation limit 1')
  if (rows.length === 0) return []
  const { chain, stakeAtFirst } = sim.world
  const { tables } = chain.viewAt(chain.head.number)
  const { balance, frozen, delegated, unfreezing } = tables.accounts.get(
    parseAddress(SANDBOX_STAKE_ADDRESS)!,
  )!
  const staked = frozen.ENERGY + frozen.BANDWIDTH + delegated.ENERGY + delegated.BANDWIDTH
  const held = unfreezing.reduce((sum, { amount }) => sum + amount, balance + staked)
  const [booked] = await sim.database.sql<{ sun: string }>(
    `select coalesce(sum(case when debit = 'asset:staked' then amount_sun else -amount_sun end), 0)::text as sun
       from ledger.movement where 'asset:staked' in (debit, credit)`,
  )
  const more = held - stakeAtFirst
  return more === BigInt(booked!.sun)
    ? []
    : [`the stake has ${more} SUN more than at first, the ledger says ${booked!.sun}`]
}

/** What still has to end. What waits for an operator, or for the chain to allow it, may stay. */
export async function undone(sim: Simulation): Promise<string[]> {
  const rows = await sim.database.sql<{ what: string }>(
    `select action || ' ' || id || ' is ' || state as what from staking.operation
      where state in ('approved', 'cancelling') and (txid is not null or trouble is null)`,
  )
  return rows.map(({ what }) => what)
}
