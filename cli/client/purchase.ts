import type { Order } from '../../sdk/index.ts'
import { limitOf, limitOption, priceLimit, readArguments, wholeNumber, words } from './arguments.ts'
import { buyFromFile } from './buyFromFile.ts'
import { connect } from './connection.ts'
import { count, createProgress, printFields, printJson, printTable, trx, when } from './output.ts'
import { Unusable } from './unusable.ts'

export async function balance(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {})
  words(positionals)
  const account = await connect(values).ergon.account()
  if (values.json) printJson(account)
  else {
    printFields([
      ['Balance', trx(account.balance_trx)],
      ['Can be spent', trx(account.spendable_trx)],
      ['Held for AutoEnergy', trx(account.reserved_trx)],
      ['Deposit address', account.deposit_address],
      ...(account.blocked ? [['Blocked', account.blocked.reason] as [string, string]] : []),
    ])
  }
  return 0
}

export async function estimate(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {})
  const [energy] = words(positionals, 'ENERGY')
  const wanted = wholeNumber(energy!, 'ENERGY')
  const found = await connect(values).ergon.estimate(wanted)
  const { total_price_trx, min_amount, max_amount } = found
  const isOrderable = wanted >= min_amount && wanted <= max_amount
  if (values.json) printJson(found)
  else {
    console.log(`${count(wanted)} Energy for 1 hour: ${trx(total_price_trx)}`)
    if (!isOrderable) {
      console.log(`It cannot be ordered: ${count(min_amount)} to ${count(max_amount)} at once.`)
    }
  }
  return isOrderable ? 0 : 1
}

export async function quote(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {})
  const [energy] = words(positionals, 'ENERGY')
  const held = await connect(values).ergon.quote(wholeNumber(energy!, 'ENERGY'))
  if (values.json) printJson(held)
  else {
    const { id, resource_amount, price_trx, expires_at } = held
    console.log(`${count(resource_amount)} Energy for 1 hour: ${trx(price_trx)}`)
    console.log(`Held until ${when(expires_at)} for one purchase: buy … --quote ${id}`)
  }
  return 0
}

const BUY = {
  file: { type: 'string' },
  all: { type: 'boolean' },
  quote: { type: 'string' },
  wait: { type: 'boolean' },
  'max-price': { type: 'string' },
  'idempotency-key': { type: 'string' },
} as const

export async function buy(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, BUY)
  if (values.file !== undefined) return buyFromFile(values, positionals)
  if (values.all) throw new Unusable('--all goes with --file.')
  const [receiver_address, energy] = words(positionals, 'ADDRESS', 'ENERGY')
  const limit = values['max-price']
  const purchase = {
    receiver_address: receiver_address!,
    resource_amount: wholeNumber(energy!, 'ENERGY'),
    ...(values.quote !== undefined && { quote_id: values.quote }),
    ...priceLimit(limit),
  }
  const idempotencyKey = values['idempotency-key']
  const { ergon } = connect(values)
  const bought = await ergon.buy(purchase, idempotencyKey === undefined ? {} : { idempotencyKey })
  if (!values.wait) {
    if (values.json) printJson(bought)
    else {
      const left = `${trx(bought.balance_after_sun)} left`
      console.log(`Order ${bought.order_id}: ${trx(bought.total_price_trx)} paid, ${left}`)
    }
    return 0
  }
  const progress = createProgress()
  const onLook = (order?: Order) => {
    progress.say(`Order ${bought.order_id}: ${order?.status ?? 'no answer, asking again'}`)
  }
  const order = await ergon.waitForOrder(bought.order_id, { onLook }).finally(progress.end)
  if (values.json) printJson(order)
  else describe(order)
  return order.status === 'COMPLETED' ? 0 : 1
}

export async function orders(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { ...limitOption, to: { type: 'string' } })
  const { ergon } = connect(values)
  const [id] = words(positionals, ...(positionals.length > 0 ? ['ORDER_ID'] : []))
  if (id !== undefined) {
    const order = await ergon.order(id)
    if (values.json) printJson(order)
    else describe(order)
    return 0
  }
  const limit = limitOf(values.limit)
  const filter = values.to === undefined ? {} : { receiver_address: values.to }
  const page_size = Math.min(limit, 100)
  const found = await ergon.orders({ ...filter, page_size }).take(limit)
  if (values.json) printJson(found)
  else {
    printTable(
      ['When', 'Order', 'Status', 'Energy', 'Price', 'For'],
      found.map((order) => [
        when(order.created_at),
        order.id,
        order.status,
        count(order.resource_amount),
        trx(order.total_price_trx),
        order.receiver_address,
      ]),
      'No orders yet.',
    )
  }
  return 0
}

export async function deposits(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, limitOption)
  words(positionals)
  const { ergon } = connect(values)
  const limit = limitOf(values.limit)
  const found = await ergon.deposits({ limit: Math.min(limit, 100) }).take(limit)
  if (values.json) printJson(found)
  else {
    const { deposit_address } = await ergon.account()
    printTable(
      ['Credited', 'Status', 'Amount', 'Transaction'],
      found.map((one) => [
        one.credited_at === null ? 'not yet' : when(one.credited_at),
        one.status,
        trx(one.amount_trx),
        one.tx_hash,
      ]),
      'No deposits yet.',
    )
    console.log(`Send TRX to ${deposit_address}.`)
  }
  return 0
}

export async function transactions(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, limitOption)
  words(positionals)
  const limit = limitOf(values.limit)
  const { ergon } = connect(values)
  const found = await ergon.transactions({ limit: Math.min(limit, 100) }).take(limit)
  if (values.json) printJson(found)
  else {
    printTable(
      ['When', 'Kind', 'Amount', 'Balance after', 'About'],
      found.map((one) => [
        when(one.created_at),
        one.entry_type,
        trx(one.amount_trx),
        trx(one.balance_after_trx),
        one.description,
      ]),
      'The balance has not changed yet.',
    )
  }
  return 0
}

function describe(order: Order): void {
  const { id, status, resource_amount, receiver_address, total_price_trx } = order
  console.log(`Order ${id}: ${status}`)
  console.log(`${count(resource_amount)} Energy for ${receiver_address}, ${trx(total_price_trx)}`)
  for (const txid of order.delegation_txids) console.log(`Delegated by ${txid}`)
  if (order.error_message) console.log(order.error_message)
}
