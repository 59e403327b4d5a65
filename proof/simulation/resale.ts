import { toHex } from '@ergon/tron'
import { BASE, MAX_UNITS } from './resellers.ts'
import type { Simulation } from './simulation.ts'

// Payments to agents as the chain sees them: one row for each transfer that stands, sold or skipped,
// and nothing kept of one that is gone.

const PAYMENT_MIN = 10_000n

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
  const claims = await claimsOf(sim)
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
    const units = amount / BASE < MAX_UNITS ? amount / BASE : MAX_UNITS
    if (row && row.units !== '0' && BigInt(row.units) !== units) {
      broken.push(`payment ${txid} of ${amount} SUN bought ${row.units} units`)
    }
  }
  return broken
}

/** Whether a configuration stood on an address the whole time around a moment. */
async function claimsOf(sim: Simulation) {
  const rows = await sim.database.sql<{ address: string; from: Date; claims: boolean }>(`
    select c.address, v.valid_from as "from", v.claims
      from agent.config c join agent.config_version v on v.config_id = c.id
     order by v.valid_from`)
  const versions = rows.map((row) => ({ ...row, hex: toHex(row.address) }))
  return (address: string, ms: number): boolean => {
    const before = versions.filter(({ hex, from }) => hex === address && from.getTime() < ms)
    return before.at(-1)?.claims ?? false
  }
}

export async function unsold(sim: Simulation): Promise<string[]> {
  const rows = await sim.database.sql<{ what: string }>(`
    select 'payment ' || txid || ' is ' || status as what from agent.payment
     where status in ('processing', 'delivering') or final_at is null or (orphaned and status = 'completed' and not compensated)`)
  return rows.map(({ what }) => what)
}
