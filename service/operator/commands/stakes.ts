import type { Delivery } from '../../delivery/index.ts'
import { type Clock, counted, exactTrx, formatTrx, grouped } from '../../kernel/index.ts'
import type { Providers, StakeCosts } from '../../providers/index.ts'
import type { Stake, Staking, Unlock } from '../../staking/index.ts'
import type { Operator } from '../operator.ts'
import { readLine } from '../options.ts'
import { type Advice, type Step, yearlyBps } from '../stakeAdvice.ts'
import { readStakes } from '../stakes.ts'
import { EXIT, notUnderstood } from './response.ts'
import { changeCost, costLines } from './stakeCost.ts'
import { runStakeVerb } from './stakeOperations.ts'

type Rooms = {
  clock: Clock
  delivery: Delivery
  operator: Operator
  providers: Providers
  stakeCosts: StakeCosts
  staking: Staking
}

/**
 * `npx ergon stakes`: stakes, what unlocks when, and what more stake would have sold; with a verb, what is done with
 * them. Exit code 1 without a stake.
 */
export async function runStakes(rooms: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb] = line.words
  if (verb === 'cost') return changeCost(rooms, line)
  if (verb !== undefined) return (await runStakeVerb(rooms, line)) ?? notUnderstood('stakes')
  const costing = await rooms.stakeCosts.read()
  const offered = (await rooms.providers.health()).filter(
    ({ name, unitPrice }) => name === 'own_stake' && unitPrice !== null,
  )
  const read = await readStakes(rooms)
  const now = rooms.clock.now()
  const text = [
    ...read.stakes.flatMap((stake) => linesOf(stake, now)),
    ...calendarOf(read.calendar, now),
    ...costLines(costing),
    ...offered.map(({ unitPrice }) => `  Own stake is offered at ${unitPrice} SUN per Energy now.`),
    ...adviceLines(read.advice),
  ]
  const none = 'No stake is on the chain yet: send TRX to it and stake them for Energy.'
  line.say({ ...read, cost: costing }, read.stakes.length === 0 ? none : text.join('\n'))
  return read.stakes.length === 0 ? EXIT.refused : EXIT.done
}

const trx = (sun: bigint) => `${exactTrx(formatTrx(sun))} TRX`

function linesOf(stake: Stake, now: Date): string[] {
  const { power, voting, reward, claimableFrom } = stake
  const when =
    claimableFrom > now ? `from ${claimableFrom.toISOString()} on` : reward > 0n ? 'now' : 'nothing'
  const rows = [
    ['spendable', trx(stake.spendable)],
    ['staked for Energy', `${trx(stake.energy)}, ${trx(stake.delegated)} of them delegated`],
    ['staked for Bandwidth', trx(stake.bandwidth)],
    ['unfreezing', trx(stake.unfreezing)],
    ['to withdraw now', trx(stake.withdrawable)],
    ['votes', `${grouped(voting)} of ${grouped(power)}`],
    ['rewards to claim', `${trx(reward)}, ${when}`],
  ]
  return [stake.address, ...rows.map(([what, how]) => `  ${what!.padEnd(22)}${how}`)]
}

function calendarOf(calendar: readonly Unlock[], now: Date): string[] {
  const lines = calendar.map(({ stake, resource, amount, at }) => {
    const when = at <= now ? 'now' : at.toISOString()
    return `  ${when.padEnd(26)}${trx(amount)} of ${resource === 'ENERGY' ? 'Energy' : 'Bandwidth'}, ${stake}`
  })
  return ['What unlocks', ...(lines.length > 0 ? lines : ['  Nothing is unfreezing.'])]
}

function adviceLines({ totals, days, bought, cost, busiest, steps }: Advice): string[] {
  const title = 'More stake, by the last 30 days'
  if (!busiest || bought === 0n) {
    return [title, '  Marketplaces delivered nothing: more stake would have sold nothing more.']
  }
  const { limit, weight } = totals
  return [
    title,
    `  Marketplaces delivered ${grouped(bought)} Energy for ${trx(cost)} on ${counted(days, 'day')}; most on ${busiest.day}, ${grouped(busiest.energy)}.`,
    `  A TRX gives ${grouped(limit)} ÷ ${grouped(weight)} Energy a day, and used Energy comes back within a day.`,
    ...steps.map((step) => lineOf(step)),
  ]
}

function lineOf(step: Step): string {
  const bps = yearlyBps(step)
  const percent = `${bps / 100n}.${String(bps % 100n).padStart(2, '0')} %`
  return `  ${trx(step.stake)} more give ${grouped(step.perDay)} a day, would have sold ${grouped(step.sold)} and saved ${trx(step.saved)}: ${percent} a year.`
}
