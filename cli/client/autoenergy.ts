import type { Ergon, NewSubscription, Subscription } from '../../sdk/index.ts'
import { didYouMean } from '../nearest.ts'
import { limitOf, limitOption, readArguments, wholeNumber, words } from './arguments.ts'
import { connect } from './connection.ts'
import { addressesIn, coverMany } from './coverMany.ts'
import { printJson, printTable, trx, when } from './output.ts'
import { Unusable } from './unusable.ts'

const OPTIONS = {
  ...limitOption,
  file: { type: 'string' },
  plan: { type: 'string' },
  'idle-hours': { type: 'string' },
  quota: { type: 'string' },
  'daily-budget': { type: 'string' },
  'monthly-budget': { type: 'string' },
  signature: { type: 'string' },
} as const

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>['values']

export async function autoenergy(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS)
  const [action = 'list', ...rest] = positionals
  if (action === 'list') {
    words(rest)
    return show(await connect(values).ergon.autoenergy.list(), values.json)
  }
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (!act) {
    const hint = didYouMean(action, AUTOENERGY_VERBS)
    throw new Unusable(`"${action}" is not something AutoEnergy does.${hint}`)
  }
  if (action === 'add' && (rest.length > 1 || values.file !== undefined)) {
    const addresses = [...rest, ...(values.file === undefined ? [] : addressesIn(values.file))]
    const wanted = addresses.map((one) => subscriptionOf(one, values))
    return coverMany(connect(values).ergon.autoenergy, wanted, values.json)
  }
  const [address] = words(rest, 'ADDRESS')
  return act(connect(values).ergon.autoenergy, address!, values)
}

type Act = (api: Ergon['autoenergy'], address: string, values: Values) => Promise<number>

const ACTIONS: Record<string, Act> = {
  add: async (api, address, values) =>
    show([await api.subscribe(subscriptionOf(address, values))], values.json),
  show: async (api, address, { json }) => show([await api.get(address)], json),
  close: async (api, address, { json }) => show([await api.close(address)], json),
  reactivate: async (api, address, values) => {
    const again = { ...budgetsOf(values), ...proofOf(values.signature) }
    return show([await api.reactivate(address, again)], values.json)
  },
  async delete(api, address) {
    await api.delete(address)
    console.log(`${address} is off the list.`)
    return 0
  },
  async usage(api, address, { json, limit }) {
    const items = await api.usage(address).take(limitOf(limit))
    if (json) printJson(items)
    else {
      const rows = items.map((item) => [
        when(item.occurred_at),
        item.energy_class,
        trx(item.billed_trx),
        item.used_tx_id,
      ])
      printTable(['When', 'Size', 'Billed', 'Transaction'], rows, 'No covered transfers yet.')
    }
    return 0
  },
  async billing(api, address, { json, limit }) {
    const items = await api.billing(address).take(limitOf(limit))
    if (json) printJson(items)
    else {
      const rows = items.map(({ at, kind, amount_trx }) => [when(at), kind, trx(amount_trx)])
      printTable(['When', 'Kind', 'Amount'], rows, 'Nothing was charged yet.')
    }
    return 0
  },
}

export const AUTOENERGY_VERBS = ['list', ...Object.keys(ACTIONS)]

/** Hours are not checked here: the service refuses those it does not offer. */
function subscriptionOf(address: string, values: Values): NewSubscription {
  const { plan, quota, 'idle-hours': hours } = values
  const idle_hours = hours === undefined ? undefined : wholeNumber(hours, '--idle-hours')
  return {
    address,
    ...(plan !== undefined && { plan }),
    ...(quota !== undefined && { quota_max_tx: wholeNumber(quota, '--quota') }),
    ...(idle_hours !== undefined && { idle_hours: idle_hours as 24 }),
    ...budgetsOf(values),
    ...proofOf(values.signature),
  }
}

/** `none` ends a budget; other words are for the service to refuse. */
function budgetsOf({ 'daily-budget': daily, 'monthly-budget': monthly }: Values) {
  const budget = (text: string) => (text === 'none' ? null : text)
  return {
    ...(daily !== undefined && { daily_budget_trx: budget(daily) }),
    ...(monthly !== undefined && { monthly_budget_trx: budget(monthly) }),
  }
}

function proofOf(signature: string | undefined) {
  return signature === undefined ? {} : { ownership_signature: signature }
}

function statusWords({ close_reason, paused_until }: Subscription): string {
  if (paused_until) return ` (paused until ${when(paused_until)})`
  return close_reason ? ` (${close_reason})` : ''
}

function budgetWords(one: Subscription): string[] {
  const { daily_budget_trx: daily, monthly_budget_trx: monthly } = one
  const words = [`${trx(one.forecast_month_trx)} forecast for the month`]
  if (daily !== null) words.push(`${one.spent_today_trx} of ${trx(daily)} today`)
  if (monthly !== null) words.push(`${one.spent_this_month_trx} of ${trx(monthly)} this month`)
  return words
}

function owedWords({ owed_trx }: Subscription): string[] {
  return owed_trx === '0' ? [] : [`${trx(owed_trx)} owed`]
}

function show(subscriptions: Subscription[], json: boolean | undefined): number {
  if (json) printJson(subscriptions)
  else {
    printTable(
      ['Address', 'Status', 'Plan', 'Used', 'Money'],
      subscriptions.map((one) => [
        one.address,
        one.status + statusWords(one),
        one.plan.name,
        `${one.tx_used_total} of ${one.quota_max_tx ?? 'any'} transfers`,
        [`${trx(one.saved_trx)} saved`, ...budgetWords(one), ...owedWords(one)].join(', '),
      ]),
      'No address is covered.',
    )
  }
  return 0
}
