import { toHex } from '@ergon/tron'
import type { Simulation } from './simulation.ts'

// Checks payments to agents against the chain: one row for each transfer on the current branch,
// sold or skipped, and no money kept of a transfer that was orphaned.

const PAYMENT_MIN = 10_000n
const SHOWN_MS = 90_000

type Row = {
  txid: string
  status: string
  units: string
  orphaned: boolean
  amount: string
}

export async function brokenResale(sim: Simulation): Promise<string[]> {
  const rows = await sim.database.sql<Row>(
    `select txid, status, units::text, orphaned, amount_sun::text as amount from agent.payment order by txid`,
  )
  const byTxid = new Map(rows.map((row) => [row.txid, row]))
  const { chain, paid } = sim.world
  const known = new Set(paid.map(({ txid }) => txid))
  const strange = rows.filter(({ txid }) => !known.has(txid))
  const broken = strange.map(({ txid }) => `payment ${txid} was never made`)
  const { claims, offers } = await versionsOf(sim)
  for (const { txid, amount, to } of paid) {
    const found = chain.transaction(txid)
    const stands = found !== undefined && found.block.number <= chain.head.number
    const row = byTxid.get(txid)
    if (!stands) {
      if (row && !row.orphaned) broken.push(`payment ${txid} is gone and counts as ${row.status}`)
      continue
    }
    if (row?.orphaned) broken.push(`payment ${txid} stands and is called orphaned`)
    if (!row && amount >= PAYMENT_MIN && claims(to, found.block.timestamp)) {
      broken.push(`payment ${txid} of ${amount} SUN was overlooked`)
    }
    if (row && amount < PAYMENT_MIN) broken.push(`payment ${txid} is dust and has a row`)
    // A sale keeps its terms when a reorganisation moves its transfer to another block.
    if (row && row.units !== '0' && sim.world.reorganisations === 0) {
      const units = mostUnits(offers(to, found.block.timestamp), amount)
      if (BigInt(row.units) !== units) {
        broken.push(`payment ${txid} of ${amount} SUN bought ${row.units} units, not ${units}`)
      }
    }
  }
  return broken
}

type Version = { from: Date; claims: boolean; base: bigint; most: bigint }

/** The history of configurations: whether an address had one, and the prices it showed. */
async function versionsOf(sim: Simulation) {
  type Text = { address: string; from: Date; claims: boolean; base: string; most: string }
  const rows = await sim.database.sql<Text>(`
    select c.address, v.valid_from as "from", v.claims, v.base_payment_sun::text as base, v.max_units::text as most
      from agent.config c join agent.config_version v on v.config_id = c.id
     order by v.valid_from`)
  const versions = rows.map(({ address, from, claims, base, most }) => {
    return { hex: toHex(address), from, claims, base: BigInt(base), most: BigInt(most) }
  })
  const before = (address: string, ms: number): Version[] =>
    versions.filter(({ hex, from }) => hex === address && from.getTime() < ms)
  return {
    claims: (address: string, ms: number) => before(address, ms).at(-1)?.claims ?? false,
    /** Versions valid at the moment, and those that ended within the 90 seconds before. */
    offers(address: string, ms: number): Version[] {
      const all = before(address, ms)
      const ended = (place: number) => all[place + 1]?.from.getTime() ?? ms
      return all.filter((_, place) => ended(place) > ms - SHOWN_MS)
    },
  }
}

/** All offers here sell the same Energy per unit. */
function mostUnits(offers: Version[], amount: bigint): bigint {
  const units = offers.map(({ base, most }) => (amount / base < most ? amount / base : most))
  return units.reduce((best, one) => (one > best ? one : best), 0n)
}

export async function unsold(sim: Simulation): Promise<string[]> {
  const rows = await sim.database.sql<{ what: string }>(`
    select 'payment ' || txid || ' is ' || status as what from agent.payment
     where status in ('processing', 'delivering') or final_at is null or (orphaned and status = 'completed' and not compensated)`)
  return rows.map(({ what }) => what)
}
