import { decodeTransaction } from '@ergon/tron'
import { attemptOf } from './bought.ts'
import { isOnChain } from './energy.ts'
import type { Simulation } from './simulation.ts'

// What sellers took back, checked by the chain alone: what was missing is worked out a second time here, and compared with
// what clients were credited.

const HOUR_MS = 3_600_000
const SECOND_MS = 1_000n

type CreditRow = { order: string; txid: string; amount: bigint; price: bigint; provider: string }

/** By the ledger, which has the order and the transaction as its reference. */
async function creditsOf({ database }: Simulation): Promise<CreditRow[]> {
  type Row = { reference: string; amount: string; price: string; debit: string }
  const rows = await database.sql<Row>(`
    select m.reference_id as reference, m.amount_sun::text as amount, m.debit,
           (select o.price_sun::text from orders.purchase_order o
             where o.id::text = split_part(m.reference_id, ':', 1)) as price
      from ledger.movement m where m.kind = 'reclaim_credit' order by m.reference_id`)
  return rows.map(({ reference, amount, price, debit }) => {
    const [order, txid] = reference.split(':') as [string, string]
    return { order, txid, amount: BigInt(amount), price: BigInt(price), provider: debit }
  })
}

/** Invariants that hold at every moment. */
export async function brokenTaking(sim: Simulation): Promise<string[]> {
  if (sim.takings.length === 0) return []
  const { chain } = sim.world
  const credits = await creditsOf(sim)
  const broken = credits.flatMap(({ order, txid, amount }) => {
    const found = isOnChain(chain, txid) ? chain.transaction(txid) : undefined
    const isFinal = found !== undefined && found.block.number <= chain.solidNumber
    return isFinal
      ? []
      : [`order ${order} is credited ${amount} SUN for ${txid}, which is not solid`]
  })
  const byFact = Map.groupBy(credits, ({ order, txid }) => `${order} and ${txid}`)
  for (const [fact, some] of byFact) {
    if (some.length > 1) broken.push(`${some.length} credits for ${fact}`)
  }
  for (const [order, some] of Map.groupBy(credits, (credit) => credit.order)) {
    const sum = some.reduce((all, { amount }) => all + amount, 0n)
    if (sum > some[0]!.price) broken.push(`order ${order} is credited ${sum} of ${some[0]!.price}`)
  }
  return broken
}

/** Whether all that was taken is decided. */
export async function undecided(sim: Simulation): Promise<string[]> {
  if (sim.takings.length === 0) return []
  const rows = await sim.database.sql<{ what: string }>(
    `select 'reclaim ' || txid || ' is not decided' as what from delivery.foreign_reclaim where decided_at is null`,
  )
  return rows.map(({ what }) => what)
}

/** When all is decided: the credits are those that the chain's own order of events makes, and who did it twice is off. */
export async function brokenTakings(sim: Simulation): Promise<string[]> {
  if (sim.takings.length === 0) return []
  const credits = await creditsOf(sim)
  const due = await dueOf(sim)
  const given = new Map(credits.map((one) => [`${one.order}:${one.txid}`, one.amount]))
  const broken = [...new Set([...given.keys(), ...due.keys()])].flatMap((fact) => {
    const [is, should] = [given.get(fact) ?? 0n, due.get(fact) ?? 0n]
    return is === should ? [] : [`${fact} is credited ${is} SUN, and ${should} are due`]
  })
  return [...broken, ...(await brokenPauses(sim, credits))]
}

const TWICE = 2

async function brokenPauses({ database }: Simulation, credits: readonly CreditRow[]) {
  const byProvider = Map.groupBy(credits, ({ provider }) => provider.replace(/^cost:provider:/, ''))
  const enabled = await database.sql<{ name: string }>(
    'select name from providers.provider where enabled order by name',
  )
  return enabled.flatMap(({ name }) => {
    const times = new Set(byProvider.get(name)?.map(({ txid }) => txid))
    return times.size >= TWICE
      ? [`${name} took Energy back ${times.size} times and still sells`]
      : []
  })
}

type Bought = { order: string; price: bigint; at: number; whole: bigint }
type Part = { left: bigint; endMs: number; of: Bought }
type Pair = { lent: bigint; parts: Part[] }
type Lost = { part: Part; taken: bigint }

/** What is due by the rule, written a second time: what is there against what must be there, the newest order first. */
async function dueOf(sim: Simulation): Promise<Map<string, bigint>> {
  const bought = await boughtBy(sim)
  const due = new Map<string, bigint>()
  const spent = new Map<string, bigint>()
  const pairs = new Map<string, Pair>()
  const pairOf = (pair: string): Pair => {
    const at = pairs.get(pair) ?? { lent: 0n, parts: [] }
    pairs.set(pair, at)
    return at
  }
  const credit = (txid: string, timeMs: number, lost: readonly Lost[]) => {
    for (const { part, taken } of lost) {
      const { order, price, whole } = part.of
      const seconds = BigInt(part.endMs - timeMs) / SECOND_MS
      const worth = (price * taken * seconds) / (whole * 3_600n)
      const left = price - (spent.get(order) ?? 0n)
      const amount = worth < left ? worth : left
      spent.set(order, (spent.get(order) ?? 0n) + amount)
      const fact = `${order}:${txid}`
      due.set(fact, (due.get(fact) ?? 0n) + amount)
    }
  }
  // What is lent again in the same block is there: only the state after a block counts.
  for (const moves of Map.groupBy(movesOf(sim), ({ block }) => block).values()) {
    for (const { pair, kind, txid, stake, timeMs } of moves) {
      const at = pairOf(pair)
      at.lent += kind === 'lend' ? stake : -stake
      const of = bought.get(txid)
      if (of) at.parts.push({ left: stake, endMs: timeMs + HOUR_MS, of })
    }
    const takes = moves.filter(({ kind }) => kind === 'take').toSorted(byTxid)
    for (const { pair, txid, stake, timeMs } of takes) {
      credit(txid, timeMs, missingOf(pairOf(pair), { stake, timeMs }))
    }
  }
  return due
}

const byTxid = (a: Move, b: Move) => (a.txid < b.txid ? -1 : 1)

function missingOf(at: Pair, { stake, timeMs }: Pick<Move, 'stake' | 'timeMs'>): Lost[] {
  const needed = at.parts
    .filter(({ left, endMs }) => left > 0n && endMs > timeMs)
    .toSorted(newestFirst)
  const short = needed.reduce((sum, { left }) => sum + left, -at.lent)
  let missing = short < stake ? short : stake
  return needed.flatMap((part) => {
    const taken = missing < part.left ? missing : part.left
    if (taken <= 0n) return []
    missing -= taken
    part.left -= taken
    return [{ part, taken }]
  })
}

/** Orders that were begun at the same moment in the order in which they were bought. */
const newestFirst = ({ of: a }: Part, { of: b }: Part) =>
  b.at - a.at || (a.order < b.order ? 1 : -1)

type Move = {
  pair: string
  kind: 'lend' | 'take'
  txid: string
  stake: bigint
  block: number
  timeMs: number
}

/** Of the sellers, in the chain's order. */
function movesOf({ world: { chain }, markets }: Simulation): Move[] {
  const sellers = markets!.owners()
  return Array.from({ length: chain.head.number }, (_, n) => chain.block(n + 1)!).flatMap((block) =>
    block.transactions.flatMap((bytes, index): Move[] => {
      const { type, value } = decodeTransaction(bytes).raw.contract
      const isLent = type === 'DelegateResourceContract'
      if (!isLent && type !== 'UnDelegateResourceContract') return []
      if (!sellers.includes(value.owner_address)) return []
      const pair = `${value.owner_address} ${value.receiver_address}`
      const kind = isLent ? 'lend' : 'take'
      const txid = block.txids[index]!
      return [
        { pair, kind, txid, stake: value.balance, block: block.number, timeMs: block.timestamp },
      ]
    }),
  )
}

/** Completed orders by the delegations that sellers made for them. */
async function boughtBy(sim: Simulation): Promise<Map<string, Bought>> {
  type Row = { id: string; orderId: string | null; order: string; price: string; at: Date }
  const attempts = await sim.database.sql<Row & { provider: string }>(`
    select a.id, a.provider, a.order_id as "orderId", o.id as "order", o.price_sun::text as price, r.created_at as at
      from delivery.attempt a
      join delivery.part p on p.id = a.part_id
      join delivery.request r on r.id = p.request_id
      join orders.purchase_order o on o.id = r.id and o.status = 'COMPLETED'
     where a.state in ('delivered', 'partial') order by a.id`)
  const sold = sim.markets!.orders().flatMap(({ name, order }) => {
    const mine = attempts.filter(({ provider }) => provider === name)
    const attempt = attemptOf(mine, order)
    return attempt && order.delegation ? [{ attempt, ...order.delegation }] : []
  })
  const wholeOf = (id: string) =>
    sold.reduce((sum, { attempt, stake }) => (attempt.order === id ? sum + stake : sum), 0n)
  return new Map(
    sold.map(({ attempt: { order, price, at }, txid }) => [
      txid,
      { order, price: BigInt(price), at: at.getTime(), whole: wholeOf(order) },
    ]),
  )
}
