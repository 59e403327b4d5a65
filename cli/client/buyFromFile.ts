import { randomUUID } from 'node:crypto'
import type { BatchPurchase, BatchResult } from '../../sdk/index.ts'
import { priceLimit, wholeNumber, words } from './arguments.ts'
import { connect } from './connection.ts'
import { linesOf } from './linesOf.ts'
import { count, printJson, printTable, trx } from './output.ts'
import { Unusable } from './unusable.ts'

type Values = Parameters<typeof connect>[0] & {
  file?: string
  all?: boolean | undefined
  json?: boolean | undefined
  'max-price'?: string | undefined
  'idempotency-key'?: string | undefined
}

/** The most purchases of one call. */
const BATCH_MAX = 100

/** Buys for each line of a file: an address, and its Energy where that differs from the command's. */
export async function buyFromFile(values: Values, positionals: string[]): Promise<number> {
  const [energy] = words(positionals, ...(positionals.length > 0 ? ['ENERGY'] : []))
  const { all = false, file = '' } = values
  const limit = priceLimit(values['max-price'])
  const key = values['idempotency-key'] ?? randomUUID()
  const purchases = linesOf(file).map(({ line, text }): BatchPurchase => {
    const [, receiver_address = '', own] = /^([^\s,;]*)[\s,;]*(.*)$/.exec(text) ?? []
    const amount = own || energy
    if (amount === undefined) throw new Unusable(`ENERGY is missing in line ${line} of ${file}.`)
    const resource_amount = wholeNumber(amount, `ENERGY in line ${line}`)
    return { idempotency_key: `${key}-${line}`, receiver_address, resource_amount, ...limit }
  })
  if (purchases.length === 0) throw new Unusable(`${file} has no addresses.`)
  if (all && purchases.length > BATCH_MAX) {
    throw new Unusable(
      `--all takes at most ${BATCH_MAX} addresses; ${file} has ${purchases.length}.`,
    )
  }
  const { ergon } = connect(values)
  // Before anything is bought: with the key a command that was interrupted can be repeated.
  console.error(`Idempotency key: ${key}`)
  const results: BatchResult[] = []
  const ask = async (group: BatchPurchase[], mode: 'all' | 'each') =>
    (await ergon.buyBatch({ purchases: group, mode })).results
  try {
    for (let from = 0; from < purchases.length; from += BATCH_MAX) {
      const group = purchases.slice(from, from + BATCH_MAX)
      const answer = await ask(group, all ? 'all' : 'each')
      // All were made by a call whose answer was lost: mode each replays it.
      results.push(...(all && answer.every(isUsed) ? await ask(group, 'each') : answer))
    }
  } finally {
    // Also what was bought before a call that failed.
    if (values.json) printJson({ results })
    else describe(purchases, results)
  }
  return results.every(({ status }) => status === 200) ? 0 : 1
}

const isUsed = ({ body }: BatchResult) =>
  'detail' in body && (body.detail as { error?: string }).error === 'duplicate_request'

function describe(purchases: readonly BatchPurchase[], results: readonly BatchResult[]): void {
  const rows = results.map(({ body }, nth) => {
    const { receiver_address, resource_amount } = purchases[nth]!
    const made =
      'order_id' in body ? [trx(body.total_price_trx), body.order_id] : ['-', reasonOf(body)]
    return [receiver_address, count(resource_amount), ...made]
  })
  printTable(['For', 'Energy', 'Price', 'Order'], rows, '')
  const bought = results.flatMap(({ body }) => ('order_id' in body ? body.total_price_sun : []))
  const sum = bought.reduce((total, price) => total + price, 0n)
  console.log(`${count(bought.length)} of ${count(results.length)} bought for ${trx(sum)}.`)
}

/** The message is within `detail` where the code has always had one there. */
function reasonOf({ detail, message }: { detail: unknown; message?: string }): string {
  return message ?? (detail as { message?: string }).message ?? ''
}
