import { readFileSync } from 'node:fs'
import { isRefusal, refuse } from '@ergon/contract'
import { PLAN_WRONG, planOf, planReply, type Terms } from '../../pricing/index.ts'
import type { Operator, OperatorRooms } from '../operator.ts'
import { type Line, readLine } from '../options.ts'
import { notUnderstood, told } from './told.ts'

type Rooms = OperatorRooms & { operator: Operator }

const SCHEDULE = `Usage: npx ergon schedule
       npx ergon schedule preview --prices P0,P1,…,P23
       npx ergon schedule set --prices P0,P1,…,P23 --why TEXT --by NAME
Prices are SUN per Energy, one per UTC hour.`

/** `npx ergon schedule …`: prices by the hour, what others would do, and changing them. */
export async function runSchedule(rooms: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  await Promise.all([rooms.pricing.refresh(), rooms.providers.readLoop.runOnce()])
  const [verb] = line.words
  const { schedule } = rooms.pricing.terms()
  if (verb === undefined) return preview(rooms, line, schedule)
  const prices = pricesOf(line.option('prices'))
  if (!prices) return notUnderstood(SCHEDULE)
  if (verb === 'preview') return preview(rooms, line, prices)
  const [who, why] = [line.option('by'), line.option('why')]
  if (verb !== 'set' || who === '' || why.trim().length < 3) return notUnderstood(SCHEDULE)
  const { actions, prices: saving } = rooms.operator
  const deed = { who, what: 'schedule', subject: 'prices', why }
  const result = await actions.perform<Terms>(deed, () => saving.save(prices, schedule))
  return isRefusal(result) ? told(result, () => {}) : preview(rooms, line, prices)
}

async function preview({ operator }: Rooms, line: Line, prices: readonly bigint[]) {
  const effect = await operator.prices.preview(prices)
  const rows = effect.hours.map(({ hour, was, price, margin }) => {
    const left = margin === null ? '' : `  margin ${margin}`
    return `${String(hour).padStart(2, '0')}:00  ${price} SUN${price === was ? '' : ` (was ${was})`}${left}`
  })
  const cost = effect.wholesale === null ? 'cannot be had now' : `${effect.wholesale} SUN`
  rows.push(`Wholesale: ${cost}. Hours below cost: ${effect.hoursBelowCost}.`)
  rows.push(`Agents at risk: ${effect.atRisk.length}.`)
  for (const risk of effect.atRisk) {
    rows.push(`  ${risk.id}  ${risk.title}: ${risk.basePayment} SUN, needs ${risk.costMax}`)
  }
  line.say(effect, rows.join('\n'))
  return 0
}

function pricesOf(text: string): bigint[] | undefined {
  const parts = text.split(',').map((part) => part.trim())
  const arePrices = parts.length === 24 && parts.every((part) => /^[1-9]\d{0,9}$/.test(part))
  return arePrices ? parts.map(BigInt) : undefined
}

const PLANS = `Usage: npx ergon plans
       npx ergon plans set --file FILE --why TEXT --by NAME
FILE holds what \`npx ergon plans --json\` prints; a plan that is left out is withdrawn.`

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
  if (!isSet) return notUnderstood(PLANS)
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
  return told(result, say)
}

/** `npx ergon providers`: health, price and fill rate. They are switched by `npx ergon switches`. */
export async function runProviders({ providers }: Rooms, args: string[]): Promise<number> {
  const line = readLine(args)
  const rows = await providers.health()
  const text = rows.map(({ name, unable, unitPrice, capacity, fillBps }) => {
    const offer = unitPrice === null ? '' : `${unitPrice} SUN, ${capacity} Energy, `
    return `${name.padEnd(12)} ${offer}fills ${Number(fillBps) / 100} %${unable ? `  ${unable}` : ''}`
  })
  line.say(rows, text.join('\n'))
  return rows.some(({ unable }) => unable === null) ? 0 : 1
}
