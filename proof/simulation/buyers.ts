import { Verbatim } from '@ergon/contract'
import { toBase58 } from '@ergon/tron'
import type { Rooms } from '../../service/app/rooms.ts'
import type { Life } from './scheduler.ts'
import type { Account, Simulation } from './simulation.ts'

type Wish = Parameters<Rooms['orders']['buy']>[1]

const AMOUNTS = [65_000n, 65_000n, 130_000n]
const KEYS = 5
const CROWD = { least: 3, more: 6, keys: 15 }
const TRIES_MAX = 4

export type Rng = Life['random']

/** Deposits, buys with new and used keys, and retries after a refusal. */
export async function runClient(sim: Simulation, life: Life, acts: number): Promise<void> {
  const { random } = life
  let done = 0
  for (let visits = 0; done < acts && visits < acts * 4 && !sim.isCalm; visits++) {
    await (random.once(2) ? sim.rest(life) : life.step('acts at once'))
    const account = random.pick(sim.accounts)
    if (done < 2 || random.once(5)) {
      deposit(sim, account, random)
      done += 1
    } else if (await shop(sim, life, account)) done += 1
    else await sim.rest(life)
  }
}

async function shop(sim: Simulation, life: Life, account: Account): Promise<boolean> {
  const want = wantOf(sim, life.random, account, KEYS)
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const [answer] = await buy(sim, life, [want])
    if (answer !== 'unknown') return answer === 'bought'
    // Without a key a retry could buy twice: stop here.
    if (want.key === undefined) return true
  }
  return false
}

/** Buys what its accounts pay for, also without faults. */
export async function runShopper(sim: Simulation, life: Life, orders: number): Promise<void> {
  for (let bought = 0, visits = 0; bought < orders && visits < orders * 4; visits++) {
    await sim.rest(life)
    if (await shop(sim, life, life.random.pick(sim.accounts))) bought += 1
  }
}

/** Many purchases at the same moment, which form groups that wait behind groups. */
export async function runCrowd(sim: Simulation, life: Life, rushes: number): Promise<void> {
  const { random } = life
  let done = 0
  for (let visits = 0; done < rushes && visits < rushes * 10 && !sim.isCalm; visits++) {
    await (random.once(2) ? sim.rest(life) : life.step('come at once'))
    const size = CROWD.least + random.below(CROWD.more)
    const wants = Array.from({ length: size }, () =>
      wantOf(sim, random, random.pick(sim.accounts), CROWD.keys),
    )
    const answers = await buy(sim, life, wants)
    const unknown = wants.filter(({ key }, place) => key && answers[place] === 'unknown')
    if (unknown.length > 0) await buy(sim, life, unknown)
    if (answers.includes('bought')) done += 1
    else await sim.rest(life)
  }
}

/** One deposit and one purchase, which is retried until it succeeds. */
export async function runCarefulClient(sim: Simulation, life: Life): Promise<void> {
  const [account] = sim.accounts
  await life.step('deposits')
  deposit(sim, account!, life.random)
  const want = { account: account!.id, key: 'once', wish: wishOf(sim, life.random) }
  for (;;) {
    await sim.rest(life)
    if ((await buy(sim, life, [want]))[0] === 'bought') return
  }
}

export function deposit(
  sim: Simulation,
  account: Account,
  random: Rng,
  { least, more } = { least: 5_000_000, more: 9_000_000 },
): void {
  const amount = BigInt(least + random.below(more))
  sim.world.transfer(account.depositAddress, amount, payersOf(sim)[random.below(3)]!)
}

type Want = { account: string; key: string | undefined; wish: Wish }

function wantOf(sim: Simulation, random: Rng, account: Account, keys: number): Want {
  const key = random.once(4) ? undefined : `key-${random.below(keys)}`
  return { account: account.id, key, wish: wishOf(sim, random) }
}

function wishOf(sim: Simulation, random: Rng): Wish {
  const receiver = toBase58(payersOf(sim)[5 + random.below(2)]!.address)
  const amount = random.pick(AMOUNTS)
  return { receiver, amount, resourceType: 'ENERGY', duration: '1h', maxPrice: undefined }
}

export const payersOf = (sim: Simulation) => sim.world.chain.network.funded

type Answer = 'bought' | 'refused' | 'unknown'

/** Sends all purchases at once to one process. */
async function buy(sim: Simulation, life: Life, wants: readonly Want[]): Promise<Answer[]> {
  const traces = wants.map(() => sim.nextTrace())
  const answers = await sim.call(life, ({ orders }) =>
    Promise.all(
      wants.map(({ account, key, wish }, place) =>
        orders.buy({ account, trace: traces[place]!, source: 'api', key }, wish),
      ),
    ),
  )
  return wants.map(({ account, key }, place) => {
    const answer = answers?.[place]
    if (answer instanceof Verbatim) {
      sim.acknowledge({ account, key, body: answer.body })
      return 'bought'
    }
    if (answer === undefined || answer.refused === 'internal_error') return 'unknown'
    sim.trace(`${life.name} is refused: ${answer.refused}`)
    sim.refused.push(traces[place]!)
    return 'refused'
  })
}
