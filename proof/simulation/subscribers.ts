import { isRefusal } from '@ergon/contract'
import { type HexAddress, toBase58 } from '@ergon/tron'
import { deposit, payersOf, type Rng } from './buyers.ts'
import type { Life } from './scheduler.ts'
import type { Account, Simulation } from './simulation.ts'

/** Wallets without bought Energy: they have only the standing Energy of AutoEnergy. */
const WALLETS = [7, 8, 9]
const FEE_LIMITS = [100_000_000n, 100_000_000n, 100_000_000n, 3_000_000n]
const QUOTAS = [null, null, 1n, 3n]
const IDLE_HOURS = [24n, 48n]
/** Enough for an activation and a few calls. */
const DEPOSIT = { least: 12_000_000, more: 14_000_000 }

export const walletsOf = (sim: Simulation) => WALLETS.map((n) => payersOf(sim)[n]!)

/**
 * Subscribes addresses, sends from them, closes and subscribes again, and never reads its state.
 */
export async function runSubscriber(sim: Simulation, life: Life, acts: number): Promise<void> {
  const { random } = life
  /** Addresses it believes are covered, with the account that subscribed each. */
  const covered = new Map<string, Account>()
  for (let done = 0; done < acts && !sim.isCalm; done++) {
    await (random.once(4) ? life.step('acts at once') : sim.rest(life))
    const wallet = random.pick(walletsOf(sim))
    const address = toBase58(wallet.address)
    const account = covered.get(address) ?? random.pick(sim.accounts)
    const what = random.below(12)
    if (what === 0) deposit(sim, account, random, DEPOSIT)
    else if (what === 1 || !covered.has(address)) {
      if (await subscribe(sim, life, { account, address })) covered.set(address, account)
    } else if (what < 10) send(sim, random, wallet)
    else {
      await close(sim, life, { account, address }, what === 10)
      covered.delete(address)
    }
  }
}

type Whom = { account: Account; address: string }

/** Subscribes the address; true if the answer says that it is or was covered. */
async function subscribe(
  sim: Simulation,
  life: Life,
  { account, address }: Whom,
): Promise<boolean> {
  const { random } = life
  const asker = { account: account.id, trace: 'sim' }
  const terms = {
    plan: 'standard',
    idleHours: random.pick(IDLE_HOURS),
    quota: random.pick(QUOTAS),
    dailyBudget: null,
    monthlyBudget: null,
  }
  const answer = await sim.call(life, ({ autoenergy }) =>
    autoenergy.subscribe(asker, { address, ...terms, signature: undefined }),
  )
  traceAnswer(sim, life, 'subscribe', answer)
  if (answer === undefined) return false
  if (!isRefusal(answer)) return true
  if (answer.refused !== 'address_exists') return answer.refused === 'address_busy'
  const again = await sim.call(life, ({ autoenergy }) =>
    autoenergy.reactivate(asker, address, { signature: undefined, budgets: {} }),
  )
  traceAnswer(sim, life, 'reactivate', again)
  return again !== undefined
}

/** Sends one call or, more often, two in one block. */
function send(sim: Simulation, random: Rng, wallet: ReturnType<typeof walletsOf>[number]): void {
  for (let calls = 1 + random.below(2); calls > 0; calls--) {
    const to = random.once(3) ? newcomer(random) : payersOf(sim)[random.below(5)]!.address
    sim.world.callUsdt(to, wallet, random.pick(FEE_LIMITS))
  }
}

function newcomer(random: Rng): HexAddress {
  const digits = Array.from({ length: 40 }, () => random.below(16).toString(16)).join('')
  return `41${digits}`
}

async function close(
  sim: Simulation,
  life: Life,
  { account, address }: Whom,
  forGood: boolean,
): Promise<void> {
  const asker = { account: account.id, trace: 'sim' }
  const closed = await sim.call(life, ({ autoenergy }) => autoenergy.close(asker, address))
  traceAnswer(sim, life, 'close', closed)
  if (!forGood || closed === undefined || isRefusal(closed)) return
  const removed = await sim.call(life, async ({ autoenergy }) => ({
    refusal: await autoenergy.remove(asker, address),
  }))
  sim.trace(`${life.name} deletes: ${removed?.refusal?.refused ?? 'done or unknown'}`)
}

function traceAnswer(sim: Simulation, life: Life, verb: string, answer: unknown): void {
  const words = answer === undefined ? 'unknown' : isRefusal(answer) ? answer.refused : 'done'
  sim.trace(`${life.name}: ${verb}: ${words}`)
}
