import { readFileSync } from 'node:fs'
import { isRefusal, refuse } from '@ergon/contract'
import { formatTrx } from '../../kernel/index.ts'
import { PLAN_WRONG, planOf, planReply, type Terms } from '../../pricing/index.ts'
import type { Operator, OperatorRooms } from '../operator.ts'
import { type Line, readLine, saidBy, Unclear } from '../options.ts'
import type { Wish } from '../prices.ts'
import { EXIT, notUnderstood, printResponse } from './response.ts'

type Rooms = OperatorRooms & { operator: Operator }

/** `npx ergon schedule …`: shows, previews and changes the prices by the hour. */
export async function runSchedule(rooms: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  await Promise.all([rooms.pricing.refresh(), rooms.providers.readLoop.runOnce()])
  const [verb] = line.words
  if (verb === undefined) return preview(rooms, line, {})
  if (verb !== 'preview' && verb !== 'set') return notUnderstood('schedule')
  const wish = wishOf(line)
  if (verb === 'preview') return preview(rooms, line, wish)
  const { who, why } = saidBy(line)
  const { actions, prices: saving } = rooms.operator
  const deed = { who, what: 'schedule', subject: 'prices', why }
  const was = rooms.pricing.terms()
  const result = await actions.perform<Terms>(deed, () => saving.save(wish, was))
  return isRefusal(result) ? printResponse(result, () => {}) : preview(rooms, line, {})
}

async function preview({ operator }: Rooms, line: Line, wish: Wish) {
  const effect = await operator.prices.preview(wish)
  if (effect.terms.minAmount > effect.terms.maxAmount) {
    console.error('The smallest order must not be above the largest.')
    return EXIT.refused
  }
  const rows = effect.hours.map(({ hour, was, price, margin }) => {
    const left = margin === null ? '' : `  margin ${margin}`
    return `${String(hour).padStart(2, '0')}:00  ${price} SUN${price === was ? '' : ` (was ${was})`}${left}`
  })
  const cost = effect.wholesale === null ? 'cannot be had now' : `${effect.wholesale} SUN`
  const { minAmount, maxAmount, marginFloor } = effect.terms
  rows.push(`Orders from ${minAmount} to ${maxAmount} Energy, margin at least ${marginFloor} SUN.`)
  rows.push(`Wholesale: ${cost}. Hours below cost: ${effect.hoursBelowCost}.`)
  rows.push(`Agents at risk: ${effect.atRisk.length}.`)
  for (const risk of effect.atRisk) {
    const why = risk.outside ? 'cannot be ordered' : `needs ${risk.costMax}`
    rows.push(`  ${risk.id}  ${risk.title}: ${risk.basePayment} SUN, ${why}`)
  }
  line.say(effect, rows.join('\n'))
  return EXIT.done
}

function wishOf({ option }: Line): Wish {
  const [prices, min, max, floor] = ['prices', 'min', 'max', 'floor'].map(option)
  const schedule = prices ? pricesOf(prices) : undefined
  if (prices && !schedule)
    throw new Unclear('--prices needs 24 prices above 0, with commas between.')
  for (const name of ['min', 'max', 'floor']) {
    const text = option(name)
    if (text === '') continue
    const isNumber = /^\d{1,15}$/.test(text) && (name === 'floor' || BigInt(text) > 0n)
    if (!isNumber) throw new Unclear(`--${name} needs a whole number, and "${text}" is none.`)
  }
  if (!prices && !min && !max && !floor) {
    throw new Unclear('Say what to change: --prices, --min, --max or --floor.')
  }
  return {
    ...(schedule && { schedule }),
    ...(min && { minAmount: BigInt(min) }),
    ...(max && { maxAmount: BigInt(max) }),
    ...(floor && { marginFloor: BigInt(floor) }),
  }
}

function pricesOf(text: string): bigint[] | undefined {
  const parts = text.split(',').map((part) => part.trim())
  const arePrices = parts.length === 24 && parts.every((part) => /^[1-9]\d{0,9}$/.test(part))
  return arePrices ? parts.map(BigInt) : undefined
}

/** `npx ergon plans …`: AutoEnergy plans. */
export async function runPlans({ pricing, operator }: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  await pricing.refresh()
  const replies = () => pricing.plans().map(planReply)
  const say = (plans: ReturnType<typeof replies>) =>
    line.say(plans, plans.map((plan) => JSON.stringify(plan)).join('\n') || 'There are no plans.')
  if (line.words.length === 0) {
    say(replies())
    return EXIT.done
  }
  if (line.words[0] !== 'set') return notUnderstood('plans')
  const file = line.option('file')
  if (file === '') throw new Unclear('--file is missing.')
  const { who, why } = saidBy(line)
  const given = plansIn(file)
  if (!given) {
    console.error(`${file} does not hold a list of plans, as npx ergon plans --json prints it.`)
    return EXIT.refused
  }
  const wanted = given.map((plan) => planOf(plan as Parameters<typeof planOf>[0]))
  const deed = { who, what: 'plans', subject: 'autoenergy', why }
  const result = await operator.actions.perform(deed, async () => {
    const plans = wanted.flatMap((plan) => plan ?? [])
    if (plans.length !== wanted.length) return refuse('validation_error', { message: PLAN_WRONG })
    const before = replies()
    await pricing.changePlans(plans)
    return { reply: replies(), change: { before, after: replies() } }
  })
  return printResponse(result, say)
}

/** Undefined when the file holds no list of objects. */
function plansIn(file: string): object[] | undefined {
  const text = readFileSync(file, 'utf8')
  try {
    const read: unknown = JSON.parse(text)
    const isList = Array.isArray(read) && read.every((one) => typeof one === 'object' && one)
    return isList ? read : undefined
  } catch {
    return undefined
  }
}

/** `npx ergon providers`: health, price and fill rate. They are switched by `npx ergon switches`. */
export async function runProviders({ providers }: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  const rows = await providers.health()
  const text = rows.map(({ name, unable, unitPrice, capacity, fillBps, float }) => {
    const offer = unitPrice === null ? '' : `${unitPrice} SUN, ${capacity} Energy, `
    const prepaid = float === null ? '' : `, ${formatTrx(float)} TRX prepaid`
    const fills = `fills ${Number(fillBps) / 100} %`
    return `${name.padEnd(12)} ${offer}${fills}${prepaid}${unable ? `  ${unable}` : ''}`
  })
  line.say(rows, text.join('\n') || 'There are no providers.')
  return rows.some(({ unable }) => unable === null) ? EXIT.done : EXIT.refused
}
