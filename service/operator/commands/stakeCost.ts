import { type HexAddress, toBase58 } from '@ergon/tron'
import { exactTrx, formatTrx, grouped, sun } from '../../kernel/index.ts'
import type { StakeCosting } from '../../providers/index.ts'
import type { Operator } from '../operator.ts'
import { type Line, saidBy, Unclear } from '../options.ts'
import { EXIT, printResponse } from './response.ts'

const trx = (amount: bigint) => `${exactTrx(formatTrx(sun(amount)))} TRX`
const percent = (bps: bigint) => `${bps / 100n}.${String(bps % 100n).padStart(2, '0')} %`
const DAY_SECONDS = 86_400n

/** `npx ergon stakes cost …`: what own stake must earn, or a figure by hand. */
export async function changeCost(
  { operator }: { operator: Pick<Operator, 'stakeTerms'> },
  line: Line,
): Promise<number> {
  const stake = line.option('stake').trim() || undefined
  const wanted = {
    yieldBps: numberIn(line, 'yield', 1n, 10_000n),
    floorBps: numberIn(line, 'floor', 100n, 10_000n),
    days: numberIn(line, 'days', 1n, 90n),
    unit: line.option('sun') === 'none' ? null : numberIn(line, 'sun', 1n, 1_000_000n),
  }
  const { unit, ...terms } = wanted
  const isSaid = Object.values(terms).some((value) => value !== undefined)
  if (stake !== undefined && (unit === undefined || isSaid)) {
    throw new Unclear('--stake goes with --sun alone: a number of SUN, or none.')
  }
  if (unit === undefined && !isSaid) {
    throw new Unclear('Say what to change: --yield, --floor, --days or --sun.')
  }
  const changed = await operator.stakeTerms({ ...wanted, stake }, saidBy(line))
  return printResponse(changed, (costing) => {
    line.say(costing, costLines(costing).join('\n'))
    return EXIT.done
  })
}

function numberIn(line: Line, name: string, least: bigint, most: bigint): bigint | undefined {
  const text = line.option(name)
  if (text === '') return undefined
  const value = /^\d{1,9}$/.test(text) ? BigInt(text) : undefined
  if (value !== undefined && value >= least && value <= most) return value
  throw new Unclear(`--${name} needs a whole number from ${least} to ${most}.`)
}

/** Every term of the cost of each stake, and what follows. */
export function costLines({ terms, overrides, costing, stakes }: StakeCosting): string[] {
  const { yieldBps, floorBps, days, unit } = terms
  const rules = `  It must earn ${percent(yieldBps)} a year, over the last ${days} days, on ${percent(floorBps)} of its Energy at least.`
  const byHand = overrides.map(
    (one) => `  ${toBase58(one.owner as HexAddress)} has a figure by hand: ${one.unit} SUN.`,
  )
  const shown = stakes.flatMap((stake) => {
    const { owner, seconds, staked, yielded, fees, sold, produced, expected } = stake
    const figure = stake.unit === null ? 'nothing is produced' : `${stake.unit} SUN per Energy`
    const over =
      seconds === 0n
        ? 'as if all of a day were sold: there is less than a day of history'
        : `over ${Number((seconds * 10n) / DAY_SECONDS) / 10} days`
    return [
      `  ${toBase58(owner as HexAddress)}: ${figure}${stake.isOverride ? ', by hand' : ''}, ${over}`,
      `    staked ${trx(staked)}, yield ${trx(yielded)}, fees ${trx(fees)}`,
      `    Energy sold ${grouped(sold)} of ${grouped(produced)} produced; ${grouped(expected)} count`,
    ]
  })
  return [
    'What own stake costs',
    rules,
    ...(unit === null ? [] : [`  All stakes have a figure by hand: ${unit} SUN.`]),
    ...byHand,
    ...shown,
    costing
      ? `  Worked out at ${costing.at.toISOString()}: ${costing.unit === null ? 'no figure' : `${costing.unit} SUN per Energy`} for all together.`
      : '  Not worked out yet: the service does it once an hour.',
  ]
}
