import { orderReply } from '../../orders/index.ts'
import type { OperatorRooms } from '../operator.ts'
import { idIn, readLine } from '../options.ts'
import { orderHistory, proofPath } from '../orderHistory.ts'
import { EXIT, notUnderstood } from './response.ts'

/** `npx ergon order show ID`: everything about one order, in order of time. */
export async function runOrder(rooms: OperatorRooms, args: string[]): Promise<number> {
  const line = readLine(args)
  const [verb, id = ''] = line.words
  if (verb !== 'show') return notUnderstood('order')
  const order = await rooms.orders.findAny(idIn(id, "The order's id"))
  if (!order) {
    console.error(
      'There is no order with this id. The search of the console finds it by address or transaction.',
    )
    return EXIT.refused
  }
  const history = await orderHistory(rooms, order)
  const shown = orderReply(order)
  const head = `${order.status}, ${shown.resource_amount} Energy for ${shown.total_price_trx} TRX to ${shown.receiver_address}, account ${order.account}`
  const rows = history.map(({ at, kind, what, reference }) => {
    const named = reference && reference !== id ? `  ${reference}` : ''
    return `${at.toISOString()}  ${kind.padEnd(8)}  ${what}${named}`
  })
  const proof = `For the client: ${proofPath(id)}`
  line.say({ order: shown, history, proof_path: proofPath(id) }, [head, ...rows, proof].join('\n'))
  return EXIT.done
}
