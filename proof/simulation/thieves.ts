import { isRefusal } from '@ergon/contract'
import { toBase58 } from '@ergon/tron'
import { STANDING_ENERGY, STRAYED_MAX } from '../../service/delivery/index.ts'
import { payersOf } from './buyers.ts'
import type { Life } from './scheduler.ts'
import type { Account, Simulation } from './simulation.ts'
import { walletsOf } from './subscribers.ts'

// A client subscribes addresses that pay for the users of their contracts, and strangers call those
// contracts.

const TERMS = {
  plan: 'standard',
  idleHours: 24n,
  quota: null,
  dailyBudget: null,
  monthlyBudget: null,
  signature: undefined,
}

/**
 * Subscribes its address again and again, lets strangers use it, and closes before that is noticed.
 */
export async function runThief(sim: Simulation, life: Life, acts: number): Promise<void> {
  const { random } = life
  const account = random.pick(sim.accounts)
  const wallet = random.pick(walletsOf(sim))
  const whom = { account, address: toBase58(wallet.address) }
  for (let done = 0; done < acts && !sim.isCalm; done++) {
    await (random.once(3) ? sim.rest(life) : life.step('acts at once'))
    const what = random.below(12)
    if (what === 0) await close(sim, life, whom, random.once(2))
    else if (what < 4) await subscribe(sim, life, whom)
    else for (let calls = 1 + random.below(3); calls > 0; calls--) callOf(sim, wallet.address)
  }
}

function callOf(sim: Simulation, deployer: string): void {
  const [stranger, receiver] = [payersOf(sim)[4]!, payersOf(sim)[3]!]
  sim.world.callShared(deployer, receiver.address, stranger)
}

type Whom = { account: Account; address: string }

async function subscribe(sim: Simulation, life: Life, { account, address }: Whom): Promise<void> {
  const asker = { account: account.id, trace: 'sim' }
  const made = await sim.call(life, ({ autoenergy }) =>
    autoenergy.subscribe(asker, { address, ...TERMS }),
  )
  const isThere = made !== undefined && isRefusal(made) && made.refused === 'address_exists'
  sim.trace(`${life.name}: subscribe: ${messageOf(made)}`)
  if (!isThere) return
  const again = await sim.call(life, ({ autoenergy }) =>
    autoenergy.reactivate(asker, address, { signature: undefined, budgets: {} }),
  )
  sim.trace(`${life.name}: reactivate: ${messageOf(again)}`)
}

async function close(
  sim: Simulation,
  life: Life,
  { account, address }: Whom,
  forGood: boolean,
): Promise<void> {
  const asker = { account: account.id, trace: 'sim' }
  const closed = await sim.call(life, ({ autoenergy }) => autoenergy.close(asker, address))
  sim.trace(`${life.name}: close: ${messageOf(closed)}`)
  if (!forGood) return
  await sim.call(life, async ({ autoenergy }) => ({
    refusal: await autoenergy.remove(asker, address),
  }))
}

function messageOf(answer: unknown): string {
  return answer === undefined ? 'unknown' : isRefusal(answer) ? answer.refused : 'done'
}

/**
 * Strangers take at most two levels from an address per activation fee, and that use is recorded.
 */
export async function brokenGifts(sim: Simulation): Promise<string[]> {
  return [...(await beyondTwoLevels(sim)), ...(await withoutBar(sim))]
}

/** Use by strangers is never forgotten: once it adds up, the address is barred. */
async function withoutBar(sim: Simulation): Promise<string[]> {
  const rows = await sim.database.sql<{ address: string; energy: string }>(
    `select t.address, sum(t.energy)::text as energy from autoenergy.stray t
      where not exists (select from autoenergy.bar b
                         where b.account_id = t.account_id and b.address = t.address)
      group by t.account_id, t.address having sum(t.energy) > ${STRAYED_MAX}`,
  )
  return rows.map(({ address, energy }) => `others took ${energy} of ${address}, and no bar began`)
}

async function beyondTwoLevels(sim: Simulation): Promise<string[]> {
  const rows = await sim.database.sql<{ address: string; fees: number }>(`
    select s.address, sum(sign(c.amount_sun))::int as fees
      from autoenergy.charge c join autoenergy.subscription s on s.id = c.subscription_id
     where c.kind = 'autoenergy_activate' group by s.address`)
  const fees = new Map(rows.map((row) => [row.address, row.fees]))
  return walletsOf(sim).flatMap(({ address }) => {
    const [taken, paid] = [takenFrom(sim, address), fees.get(toBase58(address)) ?? 0]
    const most = 2n * STANDING_ENERGY * BigInt(paid)
    return taken > most
      ? [`strangers took ${taken} Energy from ${toBase58(address)} for ${paid} activation fees`]
      : []
  })
}

/** Energy that calls of its contract took from an address, on the current branch. */
function takenFrom({ world }: Simulation, address: string): bigint {
  const { chain, shared } = world
  const calls = shared.filter(({ deployer }) => deployer === address)
  return calls.reduce((sum, { txid }) => {
    const found = chain.transaction(txid)
    if (!found || found.block.number > chain.head.number) return sum
    const { receipt = {} } = found.info as { receipt?: Record<string, number> }
    return sum + BigInt(receipt.origin_energy_usage ?? 0)
  }, 0n)
}
