import { counted, exactTrx, formatTrx, grouped } from '../kernel/index.ts'
import type { ReadStake } from './stake.ts'
import { totalOf, type Vote } from './votes.ts'

const ACTIONS = ['freeze', 'unfreeze', 'withdraw', 'cancel_unfreeze', 'vote', 'claim'] as const
export type Action = (typeof ACTIONS)[number]
export type StakedResource = 'ENERGY' | 'BANDWIDTH'

/** What is to be done with a stake. Amounts in SUN; null where the action has none. */
export type Act = {
  action: Action
  amount: bigint | null
  resource: StakedResource | null
  votes: Vote[]
}

/** What will happen, in sentences with numbers; or why it cannot be done now. */
export type Plan = { effects: string[] } | { refused: string }

const TRX = 1_000_000n
const UNFREEZINGS_MAX = 32
const WORDS = { ENERGY: 'Energy', BANDWIDTH: 'Bandwidth' } as const

/** `permission`: of a stake that its owner lends us; the one that our key signs under. */
export type Ground = { read: ReadStake; now: Date; delayDays: bigint; permission: number | null }

/** Ids of contracts, which are bits of a permission's operations. */
const BITS: Record<Action, number> = {
  freeze: 54,
  unfreeze: 55,
  withdraw: 56,
  cancel_unfreeze: 59,
  vote: 4,
  claim: 13,
}

/** By the numbers of the chain, which it will look at again when the transaction comes. */
export function planOf(act: Act, ground: Ground): Plan {
  const plan = planNow(act, ground)
  if ('refused' in plan || isPermitted(act.action, ground)) return plan
  const bit = BITS[act.action]
  const which = `permission ${ground.permission} of ${ground.read.stake.address}`
  return {
    refused: `Our key may not do that: ${which} lacks contract ${bit}. Its owner has to add it.`,
  }
}

function isPermitted(action: Action, { read, permission }: Ground): boolean {
  if (permission === null) return true
  const own = read.permissions.find(({ id }) => id === permission)
  const byte = Number.parseInt(
    (own?.operations ?? '').slice(2 * (BITS[action] >> 3)).slice(0, 2),
    16,
  )
  return ((byte >> (BITS[action] & 7)) & 1) === 1
}

function planNow(act: Act, ground: Ground): Plan {
  switch (act.action) {
    case 'freeze':
      return planFreeze(act, ground)
    case 'unfreeze':
      return planUnfreeze(act, ground)
    case 'withdraw':
      return planWithdrawal(ground)
    case 'cancel_unfreeze':
      return planCancel(ground)
    case 'vote':
      return planVote(act, ground)
    case 'claim':
      return planClaim(ground)
  }
}

const trx = (sun: bigint) => `${exactTrx(formatTrx(sun))} TRX`

/** What so much stake gives within a day. */
function givenBy(amount: bigint, resource: StakedResource, { totals }: ReadStake): string {
  const { limit, weight, netLimit, netWeight } = totals
  const [all, of] = resource === 'ENERGY' ? [limit, weight] : [netLimit, netWeight]
  const perDay = of > 0n ? (amount * all) / (of * TRX) : 0n
  return `${grouped(perDay)} ${WORDS[resource]} a day`
}

function planFreeze({ amount, resource }: Act, { read }: Ground): Plan {
  const { spendable, power } = read.stake
  if (amount === null || resource === null) return { refused: 'A freeze needs an amount.' }
  if (amount < TRX) return { refused: 'At least 1 TRX is frozen.' }
  if (amount > spendable) {
    return { refused: `Only ${trx(spendable)} are spendable on this stake. Send it more first.` }
  }
  const left = spendable - amount
  const more = (power * TRX + amount) / TRX - power
  const effects = [
    `${trx(amount)} become stake: ${givenBy(amount, resource, read)} more.`,
    `${trx(left)} stay spendable, which pay for Bandwidth that the stake lacks.`,
    `TRON Power grows by ${grouped(more)} to ${grouped(power + more)}.`,
  ]
  return { effects }
}

function planUnfreeze({ amount, resource }: Act, { read, now, delayDays }: Ground): Plan {
  const { stake, unlocks } = read
  if (amount === null || resource === null) return { refused: 'An unfreeze needs an amount.' }
  if (amount < TRX) return { refused: 'At least 1 TRX is unfrozen.' }
  const isEnergy = resource === 'ENERGY'
  const all = isEnergy ? stake.energy : stake.bandwidth
  const lent = isEnergy ? stake.delegated : stake.delegatedBandwidth
  if (amount > all) return { refused: `Only ${trx(all)} are staked for ${WORDS[resource]}.` }
  if (amount > all - lent) {
    const back = 'Delegated stake is unfrozen when it has come back; orders take up to an hour.'
    return {
      refused: `Only ${trx(all - lent)} can be unfrozen now: ${trx(lent)} are delegated. ${back}`,
    }
  }
  const waiting = unlocks.filter(({ at }) => at > now)
  if (waiting.length >= UNFREEZINGS_MAX) {
    const first = waiting.map(({ at }) => at.getTime()).toSorted((a, b) => a - b)[0]!
    const from = new Date(first).toISOString()
    return {
      refused: `The chain keeps at most ${UNFREEZINGS_MAX} unfreezings of a stake: the next passes at ${from}.`,
    }
  }
  const at = new Date(now.getTime() + Number(delayDays) * 86_400_000).toISOString()
  const effects = [
    `${givenBy(amount, resource, read)} are missing at once, and until as much is frozen again.`,
    `${trx(amount)} can be withdrawn after ${counted(delayDays, 'day')}, from about ${at} on. They sell and earn nothing meanwhile.`,
    ...fittedVotes(amount, read),
    ...withdrawnToo(read),
  ]
  return { effects }
}

function fittedVotes(amount: bigint, { stake }: ReadStake): string[] {
  const left = stake.power - (amount + TRX - 1n) / TRX
  return stake.voting > left
    ? [`Of ${grouped(stake.voting)} votes about ${grouped(left > 0n ? left : 0n)} remain.`]
    : []
}

/** The chain withdraws what is due with every unfreeze and cancellation. */
function withdrawnToo({ stake }: ReadStake): string[] {
  return stake.withdrawable > 0n
    ? [`${trx(stake.withdrawable)} that have passed their wait become spendable with it.`]
    : []
}

function planWithdrawal({ read, now }: Ground): Plan {
  const { stake, unlocks } = read
  if (stake.withdrawable > 0n) {
    const spendable = trx(stake.spendable + stake.withdrawable)
    return {
      effects: [`${trx(stake.withdrawable)} become spendable: ${spendable} in all.`],
    }
  }
  const next = unlocks.filter(({ at }) => at > now).toSorted((a, b) => +a.at - +b.at)[0]
  const when = next ? ` The next, ${trx(next.amount)}, can be at ${next.at.toISOString()}.` : ''
  return { refused: `Nothing can be withdrawn now.${when}` }
}

function planCancel({ read, now }: Ground): Plan {
  const waiting = read.unlocks.filter(({ at }) => at > now)
  if (waiting.length === 0) return { refused: 'Nothing is unfreezing.' }
  const again = (['ENERGY', 'BANDWIDTH'] as const).flatMap((resource) => {
    const some = waiting.filter((one) => one.resource === resource)
    const amount = some.reduce((sum, one) => sum + one.amount, 0n)
    return amount > 0n
      ? [`${trx(amount)} become stake again: ${givenBy(amount, resource, read)} more.`]
      : []
  })
  const all = `All ${counted(BigInt(waiting.length), 'unfreezing')} of this stake end; the chain cancels no single one.`
  return { effects: [...again, all, ...withdrawnToo(read)] }
}

function planVote({ votes }: Act, { read }: Ground): Plan {
  const { power, voting } = read.stake
  const wanted = totalOf(votes)
  if (votes.length === 0 || wanted === 0n) return { refused: 'This stake has no TRON Power.' }
  if (wanted > power) {
    return { refused: `This stake has ${grouped(power)} votes, and these are ${grouped(wanted)}.` }
  }
  return {
    effects: [
      ...votes.map(({ witness, count }) => `${grouped(count)} votes for ${witness}.`),
      `They take the place of the ${grouped(voting)} votes that there are, and count from the next maintenance on.`,
    ],
  }
}

function planClaim({ read: { stake }, now }: Ground): Plan {
  if (stake.claimableFrom > now) {
    const from = stake.claimableFrom.toISOString()
    return { refused: `The chain pays rewards once in 24 hours: from ${from} on.` }
  }
  if (stake.reward <= 0n) return { refused: 'There are no rewards to claim.' }
  return {
    effects: [
      `About ${trx(stake.reward)} become spendable on the stake, and are booked as income.`,
    ],
  }
}
