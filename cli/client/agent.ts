import type { AgentConfig, Ergon, NewAgentConfig } from '../../sdk/index.ts'
import { didYouMean } from '../nearest.ts'
import { limitOf, limitOption, readArguments, sunOf, wholeNumber, words } from './arguments.ts'
import { connect } from './connection.ts'
import { count, printFields, printJson, printTable, trx, when } from './output.ts'
import { Unusable } from './unusable.ts'

const OPTIONS = {
  ...limitOption,
  title: { type: 'string' },
  energy: { type: 'string' },
  price: { type: 'string' },
  'max-units': { type: 'string' },
  address: { type: 'string' },
  signature: { type: 'string' },
  config: { type: 'string' },
} as const

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>['values']
type Act = (api: Ergon['agent'], words: string[], values: Values) => Promise<number>

export async function agent(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS)
  const [action = 'summary', ...rest] = positionals
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (!act) {
    const hint = didYouMean(action, AGENT_VERBS)
    throw new Unusable(`"${action}" is not something the agent program does.${hint}`)
  }
  return act(connect(values).ergon.agent, rest, values)
}

const ACTIONS: Record<string, Act> = {
  async summary(api, rest, { json }) {
    words(rest)
    const found = await api.summary()
    const { totals } = found
    if (json) printJson(found)
    else {
      const needed = `${trx(found.min_balance_sun)} needed`
      printFields([
        ['Program', found.enabled ? 'open' : 'closed to changes'],
        ['Your balance', `${trx(found.balance_sun)}, ${needed}`],
        ['65,000 Energy costs you', trx(found.quote_65k.cost_now_sun)],
        ['Sales', `${count(totals.sales)}, ${count(totals.energy)} Energy`],
        ['Revenue', trx(totals.revenue_sun)],
        ['Cost', trx(totals.cost_sun)],
      ])
    }
    return 0
  },
  async quote(api, rest, { json }) {
    const [energy] = words(rest, 'ENERGY')
    const found = await api.quote(wholeNumber(energy!, 'ENERGY'))
    if (json) printJson(found)
    else {
      const { cost_now_sun, cost_min_sun, cost_max_sun } = found
      console.log(`Now ${trx(cost_now_sun)}, ${trx(cost_min_sun)} to ${trx(cost_max_sun)} a day`)
    }
    return 0
  },
  async configs(api, rest, { json }) {
    words(rest)
    return show(await api.configs(), json)
  },
  async create(api, rest, values) {
    words(rest)
    return show([await api.create(configOf(values))], values.json)
  },
  async pause(api, rest, { json }) {
    const [id] = words(rest, 'CONFIG_ID')
    return show([await api.pause(id!)], json)
  },
  async resume(api, rest, { json }) {
    const [id] = words(rest, 'CONFIG_ID')
    return show([await api.resume(id!)], json)
  },
  async delete(api, rest) {
    const [id] = words(rest, 'CONFIG_ID')
    await api.delete(id!)
    console.log(`${id} is gone, and so is its pay page.`)
    return 0
  },
  async deliver(api, rest, { json }) {
    const [id] = words(rest, 'PAYMENT_ID')
    const payment = await api.deliver(id!)
    if (json) printJson(payment)
    else console.log(`${count(payment.energy)} Energy are on their way to ${payment.payer}.`)
    return 0
  },
  async payments(api, rest, { json, limit, config }) {
    words(rest)
    const filter = config === undefined ? {} : { config_id: config }
    const found = await api.payments(filter).take(limitOf(limit))
    if (json) printJson(found)
    else {
      const rows = found.map((one) => [
        when(one.created_at),
        one.status + (one.skip_reason ? ` (${one.skip_reason})` : ''),
        trx(one.amount_sun),
        count(one.energy),
        one.payer,
        one.id,
      ])
      printTable(['When', 'Status', 'Paid', 'Energy', 'By', 'Id'], rows, 'Nobody has paid yet.')
    }
    return 0
  },
}

export const AGENT_VERBS = Object.keys(ACTIONS)

function configOf(values: Values): NewAgentConfig {
  const { title, energy, price, address, signature } = values
  if (energy === undefined || price === undefined) {
    throw new Unusable('A configuration needs --energy and --price.')
  }
  return {
    mode: address === undefined ? 'generated' : 'own',
    energy_per_unit: wholeNumber(energy, '--energy'),
    base_payment_sun: sunOf(price, '--price'),
    max_units: wholeNumber(values['max-units'] ?? '1', '--max-units'),
    ...(address !== undefined && { address }),
    ...(title !== undefined && { title }),
    ...(signature !== undefined && { ownership_signature: signature }),
  }
}

function show(configs: AgentConfig[], json: boolean | undefined): number {
  if (json) printJson(configs)
  else {
    const rows = configs.map((one) => [
      one.id,
      one.status + (one.pause_reason ? ` (${one.pause_reason})` : ''),
      one.title,
      `${count(one.energy_per_unit)} Energy for ${trx(one.base_payment_sun)}`,
      one.address,
      `/pay/${one.public_id}`,
    ])
    const headers = ['Configuration', 'Status', 'Title', 'Offer', 'Address', 'Pay page']
    printTable(headers, rows, 'No configurations yet.')
  }
  return 0
}
