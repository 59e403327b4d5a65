import { isRefusal } from '@ergon/contract'
import { toBase58 } from '@ergon/tron'
import { deposit, payersOf } from './buyers.ts'
import type { Life } from './scheduler.ts'
import type { Config, Simulation } from './simulation.ts'

const BASE = 3_000_000n
const MAX_UNITS = 2n
const ENERGY_PER_UNIT = 65_000n
/** One unit, two, two and a half, more than is sold, too little, dust. */
const AMOUNTS = [BASE, BASE, BASE * 2n, 7_500_000n, BASE * 4n, 1_000_000n, 5_000n]
const CONFIGS_MAX = 4
const CUSTOMERS = 5
/** Enough for two or three sales, so that balances run out. */
const DEPOSIT = { least: 4_000_000, more: 6_000_000 }

/** Creates configurations, pauses and resumes them, and pays as their customers. */
export async function runReseller(sim: Simulation, life: Life, acts: number): Promise<void> {
  const { random } = life
  let done = 0
  for (let visits = 0; done < acts && visits < acts * 4 && !sim.isCalm; visits++) {
    await (random.once(2) ? sim.rest(life) : life.step('acts at once'))
    const what = done < 2 ? done * 2 : random.below(12)
    done += 1
    if (what < 2) deposit(sim, random.pick(sim.accounts), random, DEPOSIT)
    else if (sim.configs.length === 0 || (what < 4 && sim.configs.length < CONFIGS_MAX)) {
      await create(sim, life)
    } else if (what < 10) await pay(sim, life)
    else await change(sim, life)
  }
}

async function create(sim: Simulation, life: Life): Promise<void> {
  const { random } = life
  const account = random.pick(sim.accounts).id
  const isOurs = random.once(2)
  const digits = Array.from({ length: 40 }, () => random.below(16).toString(16)).join('')
  const made = await sim.call(life, ({ agent }) =>
    agent.create(account, {
      mode: isOurs ? 'generated' : 'own',
      address: isOurs ? '' : toBase58(`41${digits}`),
      title: 'Energy',
      energyPerUnit: ENERGY_PER_UNIT,
      basePayment: BASE,
      maxUnits: MAX_UNITS,
      ownershipSignature: undefined,
    }),
  )
  if (made === undefined) return
  if (isRefusal(made)) return sim.trace(`${life.name} is refused: ${made.refused}`)
  sim.trace(`${life.name} sells at ${made.address}`)
  sim.configs.push({ id: made.id, account, address: made.address, isOurs })
}

/** One payment, or two at once that may exceed the balance; then the price may change. */
async function pay(sim: Simulation, life: Life): Promise<void> {
  const { random } = life
  const config = random.pick(sim.configs)
  const { address, isOurs } = config
  for (let payments = 1 + random.below(2); payments > 0; payments--) {
    const customer = payersOf(sim)[random.below(CUSTOMERS)]!
    sim.world.pay(address, random.pick(AMOUNTS), customer, isOurs)
  }
  if (random.once(4)) await reprice(sim, life, config)
}

async function change(sim: Simulation, life: Life): Promise<void> {
  const { random } = life
  const { id, account, isOurs } = random.pick(sim.configs)
  const verb = random.pick(['pause', 'resume', 'resume', 'remove'] as const)
  if (verb === 'remove' && isOurs) return
  await sim.call(life, async ({ agent }) => void (await agent.configs[verb](account, id)))
  sim.trace(`${life.name}: ${verb} of ${id}`)
}

async function reprice(
  sim: Simulation,
  life: Life,
  { id, account }: Pick<Config, 'id' | 'account'>,
) {
  const basePayment = life.random.pick([BASE, BASE * 2n])
  const maxUnits = 1n + BigInt(life.random.below(2))
  const offer = { basePayment, maxUnits }
  await sim.call(life, async ({ agent }) => void (await agent.configs.patch(account, id, offer)))
  sim.trace(`${life.name}: ${basePayment} SUN for each of ${maxUnits} units of ${id}`)
}
