import { isRefusal } from '@ergon/contract'
import { deposit } from './buyers.ts'
import { isOnChain } from './energy.ts'
import type { Life } from './scheduler.ts'
import type { Simulation } from './simulation.ts'

// A client asks again and again for payments that were skipped, also twice at once; and what came of that, by the chain.

const PAGE = { configId: undefined, page: 1, pageSize: 20 }
/** For one payment, to any of the nodes. */
const AT_ONCE = 3
const DEPOSIT = { least: 4_000_000, more: 6_000_000 }

export async function runShopkeeper(sim: Simulation, life: Life, acts: number): Promise<void> {
  const { random } = life
  // Also without faults, when payments become final sooner than clients run out of things to do.
  for (let done = 0, visits = 0; done < acts && visits < acts * 3; visits++) {
    await sim.rest(life)
    const account = random.pick(sim.accounts)
    if (!sim.isCalm && random.once(4)) deposit(sim, account, random, DEPOSIT)
    const skipped = await sim.call(life, ({ agent }) =>
      agent.reads.payments(account.id, { ...PAGE, status: 'skipped' }),
    )
    if (!skipped || skipped.length === 0) continue
    done += 1
    const { id, txid } = random.pick(skipped)
    const asking = Array.from({ length: AT_ONCE }, async () => {
      const answer = await sim.call(life, ({ agent }) => agent.deliver(account.id, id))
      if (answer === undefined) return
      if (isRefusal(answer)) return sim.trace(`${txid} is not delivered: ${answer.refused}`)
      sim.trace(`${txid} is sold after all`)
      sim.redelivered.push({ txid, isFinal: isFinal(sim, txid) })
    })
    await Promise.all(asking)
  }
}

/** A payment is sold once, and one that was skipped only while its transfer cannot be undone. */
export async function brokenRedelivery(sim: Simulation): Promise<string[]> {
  const twice = await sim.database.sql<{ txid: string; times: number }>(
    `select trace as txid, count(*)::int as times from orders.purchase_order
      where source = 'agent' group by trace having count(*) > 1 order by trace`,
  )
  const broken = twice.map(({ txid, times }) => `payment ${txid} was sold ${times} times`)
  const told = Map.groupBy(sim.redelivered, ({ txid }) => txid)
  for (const [txid, times] of told) {
    if (times.length > 1) broken.push(`payment ${txid} was said to be sold ${times.length} times`)
    const isTooEarly = times.some((one) => !one.isFinal)
    if (isTooEarly) broken.push(`payment ${txid} was sold on request and was not final`)
  }
  return broken
}

function isFinal({ world: { chain } }: Simulation, txid: string): boolean {
  const found = isOnChain(chain, txid) ? chain.transaction(txid) : undefined
  return found !== undefined && found.block.number <= chain.solidNumber
}
