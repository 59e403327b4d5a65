import { readFileSync } from 'node:fs'
import { isRefusal, refuse } from '@ergon/contract'
import { formatTrx } from '../../kernel/index.ts'
import { PLAN_WRONG, planOf, planReply, type Terms } from '../../pricing/index.ts'
import type { Operator, OperatorRooms } from '../operator.ts'
import { type Line, readLine } from '../options.ts'
import type { Wish } from '../prices.ts'
import { notUnderstood, printResponse } from './response.ts'

type Rooms = OperatorRooms & { operator: Operator }

/** `npx ergon schedule …`: shows, previews and changes the prices by the hour. */
export async function runSchedule(rooms: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  await Promise.all([rooms.pricing.refresh(), rooms.providers.readLoop.runOnce()])
  const [verb] = line.words
  if (verb === undefined) return preview(rooms, line, {})
  const wish = wishOf(line)
  if (!wish) return notUnderstood('schedule')
  if (verb === 'preview') return preview(rooms, line, wish)
  const [who, why] = [line.option('by'), line.option('why')]
  if (verb !== 'set' || who === '' || why.trim().length < 3) return notUnderstood('schedule')
  const { actions, prices: saving } = rooms.operator
  const deed = { who, what: 'schedule', subject: 'prices', why }
  const was = rooms.pricing.terms()
  const result = await actions.perform<Terms>(deed, () => saving.save(wish, was))
  return isRefusal(result) ? printResponse(result, () => {}) : preview(rooms, line, {})
}

async function preview({ operator }: Rooms, line: Line, wish: Wish) {
  const effect = await operator.prices.preview(wish)
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
  return 0
}

/** Undefined when no option is given, or one is invalid. */
function wishOf({ option }: Line): Wish | undefined {
  const [prices, min, max, floor] = ['prices', 'min', 'max', 'floor'].map(option)
  const schedule = prices ? pricesOf(prices) : undefined
  const numbers = [min, max, floor].filter((text) => text !== '')
  const readable = numbers.every((text) => /^\d{1,15}$/.test(text!)) && min !== '0' && max !== '0'
  if (!readable || (prices && !schedule) || (!prices && numbers.length === 0)) return undefined
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
    line.say(plans, plans.map((plan) => JSON.stringify(plan)).join('\n'))
  if (line.words.length === 0) {
    say(replies())
    return 0
  }
  const [who, why, file] = [line.option('by'), line.option('why'), line.option('file')]
  const isSet = line.words[0] === 'set' && file !== '' && who !== '' && why.trim().length >= 3
  if (!isSet) return notUnderstood('plans')
  const wanted = (JSON.parse(readFileSync(file, 'utf8')) as unknown[]).map((plan) =>
    planOf(plan as Parameters<typeof planOf>[0]),
  )
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
  line.say(rows, text.join('\n'))
  return rows.some(({ unable }) => unable === null) ? 0 : 1
}
