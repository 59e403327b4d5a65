import { isRefusal } from '@ergon/contract'
import { answerCall } from '@ergon/devnet'
import { decodeTransaction, type HexAddress, toBase58 } from '@ergon/tron'
import { deposit, payersOf, type Rng } from './buyers.ts'
import type { Life } from './scheduler.ts'
import type { Budgeted, Simulation } from './simulation.ts'
import { walletsOf } from './subscribers.ts'

// Clients that set budgets for covered addresses, and send until they are used up and after it; and what came of that,
// by the ledger and the chain. Each address is subscribed once, and the whole run is within one day.

const DAILY = [4_400_000n, null, 60_000_000n] as const
const MONTHLY = [null, 4_400_000n, 6_600_000n] as const
const FEE_LIMIT = 100_000_000n
const WHOLE = 131_000
/** Enough for a few calls. */
const DEPOSIT = { least: 6_000_000, more: 6_000_000 }

/** The same addresses and budgets for all clients of the scene. */
export async function openBudgets(sim: Simulation): Promise<void> {
  for (const [n, wallet] of walletsOf(sim).entries()) {
    const account = sim.accounts[n % sim.accounts.length]!
    const budgets = { daily: DAILY[n]!, monthly: MONTHLY[n]! }
    sim.budgeted.push({ wallet, address: toBase58(wallet.address), account, ...budgets })
  }
}

/** Subscribes the addresses, sends from them, and closes all when the faults have ended. */
export async function runSaver(sim: Simulation, life: Life, acts: number): Promise<void> {
  const { random } = life
  const covered = new Set<Budgeted>()
  // Also without faults, when an address is covered again sooner.
  for (let done = 0; done < acts; done++) {
    await sim.rest(life)
    const one = random.pick(sim.budgeted)
    if (!sim.isCalm && random.once(12)) deposit(sim, one.account, random, DEPOSIT)
    else if (!covered.has(one)) {
      if (await subscribe(sim, life, one)) covered.add(one)
    } else if (isWhole(sim, one)) send(sim, random, one)
  }
  while (!sim.isCalm) await sim.rest(life)
  for (const one of sim.budgeted) while (!(await close(sim, life, one))) await sim.rest(life)
}

/** Sometimes two in one block, which are billed together. */
function send(sim: Simulation, random: Rng, { wallet }: Budgeted): void {
  for (let calls = random.once(4) ? 2 : 1; calls > 0; calls--) {
    sim.world.callUsdt(payersOf(sim)[random.below(5)]!.address, wallet, FEE_LIMIT)
  }
}

/** By the chain: it has Energy for the largest call. */
function isWhole({ world: { chain } }: Simulation, { wallet }: Budgeted): boolean {
  const resource = JSON.parse(
    answerCall(chain, {
      path: '/wallet/getaccountresource',
      body: JSON.stringify({ address: wallet.address }),
    })!,
  ) as { EnergyLimit?: number; EnergyUsed?: number }
  return (resource.EnergyLimit ?? 0) - (resource.EnergyUsed ?? 0) >= WHOLE
}

/** True if the answer says that the address is or was covered. */
async function subscribe(sim: Simulation, life: Life, one: Budgeted): Promise<boolean> {
  const { address, account, daily, monthly } = one
  const terms = { plan: 'standard', idleHours: 72n, quota: null, signature: undefined }
  const budgets = { dailyBudget: daily, monthlyBudget: monthly }
  const asker = { account: account.id, trace: 'sim' }
  const answer = await sim.call(life, ({ autoenergy }) =>
    autoenergy.subscribe(asker, { address, ...terms, ...budgets }),
  )
  sim.trace(`${life.name}: subscribe: ${wordsOf(answer)}`)
  if (answer === undefined) return false
  return !isRefusal(answer) || ['address_exists', 'address_busy'].includes(answer.refused)
}

/** True when it is closed, or was never opened. */
async function close(sim: Simulation, life: Life, { account, address }: Budgeted) {
  const asker = { account: account.id, trace: 'sim' }
  const closed = await sim.call(life, ({ autoenergy }) => autoenergy.close(asker, address))
  sim.trace(`${life.name}: close: ${wordsOf(closed)}`)
  if (closed === undefined) return false
  return !isRefusal(closed) || closed.refused === 'autoenergy_not_found'
}

const wordsOf = (answer: unknown) =>
  answer === undefined ? 'unknown' : isRefusal(answer) ? answer.refused : 'done'

/**
 * Once calls have used a budget up, no further Energy is delegated to the address: what they cost beyond it is what they took
 * of the Energy that lay there, or was under way, at that moment.
 */
export async function brokenBudgets(sim: Simulation): Promise<string[]> {
  if (sim.budgeted.length === 0) return []
  const charges = await sim.database.sql<{ txid: string; amount: string; at: Date }>(
    `select reference_id as txid, amount_sun::text as amount, created_at as at from ledger.movement
      where kind = 'autoenergy_unit' order by id`,
  )
  const fromOf = new Map(sim.world.called.map(({ txid, from }) => [txid, from]))
  const asked = await sim.database.sql<{ txid: string; at: Date }>(
    `select txid, created_at as at from signing.request where purpose = 'delegate'`,
  )
  const askedAt = new Map(asked.map(({ txid, at }) => [txid, at]))
  return sim.budgeted.flatMap(({ wallet, address, daily, monthly }) => {
    const own = charges.filter(({ txid }) => fromOf.get(txid) === wallet.address)
    const given = delegatedTo(sim, wallet.address)
    return [daily, monthly].flatMap((budget) => {
      const usedUpAt = budget === null ? undefined : momentOf(own, budget)
      const late = given.filter((txid) => usedUpAt && askedAt.get(txid)! > usedUpAt)
      return late.map((txid) => `${address} has used up its ${budget} SUN and was given ${txid}`)
    })
  })
}

/** When the charges together reached the budget. */
function momentOf(charges: readonly { amount: string; at: Date }[], budget: bigint) {
  let sum = 0n
  return charges.find(({ amount }) => {
    sum += BigInt(amount)
    return sum >= budget
  })?.at
}

function delegatedTo({ world: { chain } }: Simulation, receiver: HexAddress): string[] {
  return Array.from({ length: chain.head.number }, (_, n) => chain.block(n + 1)!).flatMap((block) =>
    block.txids.filter((_, index) => {
      const { type, value } = decodeTransaction(block.transactions[index]!).raw.contract
      return type === 'DelegateResourceContract' && value.receiver_address === receiver
    }),
  )
}
