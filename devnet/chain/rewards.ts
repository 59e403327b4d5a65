import type { HexAddress } from '@ergon/tron'
import { type Account, newAccount, type Vote } from './account.ts'
import { maintenanceMs, rewards } from './parameters.ts'
import { type ReadTables, total, type Witness, type WriteTables } from './state.ts'

// Votes of the rest of the network, so that a vote earns what it earns on mainnet.
const othersVotes = 40_000_000_000n
const unit = 10n ** 18n

export const firstWitness: Witness = { votes: othersVotes, reward: 0n, produced: 0 }

export function cycleOf(tables: ReadTables): bigint {
  return total(tables, 'cycle') || 1n
}

/** Aligned to the clock, as on mainnet: at 0, 6, 12 and 18 o'clock UTC. */
export function maintenanceAfter(time: number): number {
  return (Math.floor(time / maintenanceMs) + 1) * maintenanceMs
}

/** The end of a block: its rewards, and maintenance when its time has come. */
export function finishBlock(tables: WriteTables, witness: HexAddress, timestamp: number): void {
  payBlock(tables, witness)
  const due = Number(total(tables, 'maintenance'))
  if (due > 0 && timestamp < due) return
  tables.totals.set('maintenance', BigInt(maintenanceAfter(timestamp)))
  // A chain without a time for it is a new one.
  if (due > 0) maintain(tables)
}

/** A witness keeps 20 % and its voters get the rest; all others' votes are for the one witness. */
function payBlock(tables: WriteTables, address: HexAddress): void {
  const witness = tables.witnesses.get(address) ?? firstWitness
  let { reward } = witness
  let own = 0n
  for (const pay of [rewards.blockSun, rewards.standbySun]) {
    const brokerage = (pay * rewards.brokeragePercent) / 100n
    reward += pay - brokerage
    own += brokerage
  }
  tables.witnesses.set(address, { ...witness, reward, produced: witness.produced + 1 })
  const account = tables.accounts.get(address) ?? newAccount(0)
  tables.accounts.set(address, { ...account, allowance: (account.allowance ?? 0n) + own })
}

/** Turns the cycle's rewards into earnings of one vote, then counts the votes anew. */
function maintain(tables: WriteTables): void {
  const cycle = cycleOf(tables)
  for (const [address, witness] of [...tables.witnesses.entries()]) {
    const before = tables.earnings.get(earningsKey(address, cycle - 1n)) ?? 0n
    const earned = witness.votes > 0n ? (witness.reward * unit) / witness.votes : 0n
    tables.earnings.set(earningsKey(address, cycle), before + earned)
    tables.witnesses.set(address, { ...witness, reward: 0n })
  }
  for (const [voter, counted] of [...tables.countedVotes.entries()]) {
    addVotes(tables, counted, -1n)
    addVotes(tables, tables.accounts.get(voter)?.votes ?? [], 1n)
    tables.countedVotes.set(voter, undefined)
  }
  tables.totals.set('cycle', cycle + 1n)
}

function addVotes(tables: WriteTables, votes: readonly Vote[], sign: bigint): void {
  for (const { witness: address, count } of votes) {
    const witness = tables.witnesses.get(address)
    if (!witness) continue
    tables.witnesses.set(address, { ...witness, votes: witness.votes + sign * count })
  }
}

/** What the account could withdraw now (MortgageService.queryReward). */
export function rewardOf(tables: ReadTables, address: HexAddress): bigint {
  const account = tables.accounts.get(address)
  return account ? (account.allowance ?? 0n) + unsettled(tables, address, account) : 0n
}

/** Moves what was earned into the allowance; before votes change, and before it is withdrawn. */
export function settleReward(tables: WriteTables, address: HexAddress): void {
  const account = tables.accounts.get(address)
  if (!account) return
  const cycle = cycleOf(tables)
  const voter = tables.voters.get(address)
  if (voter && voter.begin > cycle) return
  if (voter?.begin === cycle && voter.end === cycle + 1n) return
  const earned = unsettled(tables, address, account)
  if (earned > 0n) {
    tables.accounts.set(address, { ...account, allowance: (account.allowance ?? 0n) + earned })
  }
  const { votes = [] } = account
  tables.voters.set(
    address,
    votes.length === 0
      ? { begin: cycle + 1n, end: voter?.end ?? -1n, votes: [] }
      : { begin: cycle, end: cycle + 1n, votes },
  )
}

/** Notes the votes that are counted until the next maintenance, and sets the new ones. */
export function changeVotes(
  tables: WriteTables,
  address: HexAddress,
  votes: readonly Vote[],
): void {
  const { votes: old = [], ...account } = tables.accounts.get(address)!
  if (!tables.countedVotes.get(address)) tables.countedVotes.set(address, old)
  tables.accounts.set(address, votes.length > 0 ? { ...account, votes } : account)
}

function unsettled(tables: ReadTables, address: HexAddress, { votes = [] }: Account): bigint {
  const cycle = cycleOf(tables)
  const voter = tables.voters.get(address)
  if (!voter || voter.begin > cycle) return 0n
  let { begin } = voter
  let sum = 0n
  // The last cycle before a change of votes was still voted with the old ones.
  if (begin + 1n === voter.end && begin < cycle) {
    sum += earned(tables, voter.votes, begin, begin + 1n)
    begin += 1n
  }
  return begin < cycle ? sum + earned(tables, votes, begin, cycle) : sum
}

function earned(tables: ReadTables, votes: readonly Vote[], begin: bigint, end: bigint): bigint {
  let sum = 0n
  for (const { witness, count } of votes) {
    const at = (cycle: bigint) => tables.earnings.get(earningsKey(witness, cycle)) ?? 0n
    sum += ((at(end - 1n) - at(begin - 1n)) * count) / unit
  }
  return sum
}

function earningsKey(witness: HexAddress, cycle: bigint): string {
  return `${witness}:${cycle}`
}
