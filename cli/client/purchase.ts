import { type Order, sunToTrx, trxToSun } from '../../sdk/index.ts'
import { limitOf, limitOption, readArguments, wholeNumber, words } from './arguments.ts'
import { connect } from './connection.ts'
import { createProgress, printJson, printTable } from './output.ts'
import { Unusable } from './unusable.ts'

export async function balance(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {})
  words(positionals)
  const account = await connect(values).ergon.account()
  if (values.json) printJson(account)
  else {
    printTable(
      [
        ['Balance', `${account.balance_trx} TRX`],
        ['Can be spent', `${account.spendable_trx} TRX`],
        ['Held for AutoEnergy', `${account.reserved_trx} TRX`],
        ['Deposit address', account.deposit_address],
      ],
      '',
    )
  }
  return 0
}

export async function estimate(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {})
  const [energy] = words(positionals, 'ENERGY')
  const wanted = wholeNumber(energy!, 'ENERGY')
  const found = await connect(values).ergon.estimate(wanted)
  const { total_price_trx, min_amount, max_amount } = found
  if (values.json) printJson(found)
  else {
    console.log(`${wanted} Energy for 1 hour: ${total_price_trx} TRX`)
    if (wanted < min_amount || wanted > max_amount) {
      console.log(`It cannot be ordered: from ${min_amount} to ${max_amount} at once.`)
    }
  }
  return 0
}

const BUY = {
  wait: { type: 'boolean' },
  'max-price': { type: 'string' },
  'idempotency-key': { type: 'string' },
} as const

export async function buy(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, BUY)
  const [receiver_address, energy] = words(positionals, 'ADDRESS', 'ENERGY')
  const limit = values['max-price']
  const purchase = {
    receiver_address: receiver_address!,
    resource_amount: wholeNumber(energy!, 'ENERGY'),
    ...(limit !== undefined && { max_price_sun: sunOf(limit, '--max-price') }),
  }
  const idempotencyKey = values['idempotency-key']
  const { ergon } = connect(values)
  const bought = await ergon.buy(purchase, idempotencyKey === undefined ? {} : { idempotencyKey })
  if (!values.wait) {
    if (values.json) printJson(bought)
    else {
      const left = `${sunToTrx(bought.balance_after_sun)} TRX left`
      console.log(`Order ${bought.order_id}: ${bought.total_price_trx} TRX paid, ${left}`)
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
      found.map((order) => [
        order.created_at,
        order.id,
        order.status,
        order.resource_amount,
        `${order.total_price_trx} TRX`,
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
      found.map((one) => [
        one.credited_at ?? 'not credited',
        one.status,
        `${one.amount_trx} TRX`,
        one.tx_hash,
      ]),
      'No deposits yet.',
    )
    console.log(`Send TRX to ${deposit_address}.`)
  }
  return 0
}

function describe(order: Order): void {
  const { id, status, resource_amount, receiver_address, total_price_trx } = order
  console.log(`Order ${id}: ${status}`)
  console.log(`${resource_amount} Energy for ${receiver_address}, ${total_price_trx} TRX`)
  for (const txid of order.delegation_txids) console.log(`Delegated by ${txid}`)
  if (order.error_message) console.log(order.error_message)
}

export function sunOf(trx: string, name: string): bigint {
  try {
    return trxToSun(trx)
  } catch {
    throw new Unusable(`${name} has to be an amount of TRX such as 2.5, and "${trx}" is none.`)
  }
}
