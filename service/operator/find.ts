import { isUuid } from '../kernel/index.ts'
import type { OperatorRooms } from './operator.ts'

export type Found = {
  kind: 'account' | 'order' | 'deposit' | 'payment'
  id: string
  account: string
  order: string | null
  why: string
}

const ACCOUNTS = 10
const ORDERS = 10
const TRANSACTION = /^[0-9a-f]{64}$/
const ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/

/** Whatever a pasted text is. Each look is by an index; a name is looked for among all accounts. */
export async function findAnything(rooms: OperatorRooms, pasted: string): Promise<Found[]> {
  const text = pasted.trim()
  if (text === '') return []
  const transaction = text.toLowerCase().replace(/^0x/, '')
  if (TRANSACTION.test(transaction)) return ofTransaction(rooms, transaction)
  const [accounts, orders] = await Promise.all([accountsOf(rooms, text), ordersOf(rooms, text)])
  return [...accounts, ...orders]
}

async function accountsOf({ accounts, addresses }: OperatorRooms, text: string): Promise<Found[]> {
  const owner = isUuid(text) ? text : ADDRESS.test(text) ? await addresses.ownerOf(text) : undefined
  const found = await accounts.search(text, owner, ACCOUNTS)
  const why = isUuid(text) ? 'its id' : ADDRESS.test(text) ? 'its address' : 'its name or sign-in'
  return found.map(({ id }) => ({ kind: 'account', id, account: id, order: null, why }))
}

async function ordersOf({ orders }: OperatorRooms, text: string): Promise<Found[]> {
  if (isUuid(text)) {
    const order = await orders.findAny(text)
    return order ? [orderFound(order, 'its id')] : []
  }
  if (!ADDRESS.test(text)) return []
  const found = await orders.search({ receiver: text, limit: ORDERS })
  return found.map((order) => orderFound(order, 'its receiver'))
}

const orderFound = ({ id, account }: { id: string; account: string }, why: string): Found => ({
  kind: 'order',
  id,
  account,
  order: id,
  why,
})

async function ofTransaction(rooms: OperatorRooms, txid: string): Promise<Found[]> {
  const [request, deposits, payments] = await Promise.all([
    rooms.delivery.outlook.requestOf(txid),
    rooms.deposits.ofTransaction(txid),
    rooms.agent.reads.ofTransaction(txid),
  ])
  const order = request && (await rooms.orders.findAny(request))
  return [
    ...(order ? [orderFound(order, 'its delegation')] : []),
    ...deposits.map(({ account, status }): Found => {
      return { kind: 'deposit', id: txid, account, order: null, why: `a deposit, ${status}` }
    }),
    ...payments.map(({ account, orderId, status }): Found => {
      return { kind: 'payment', id: txid, account, order: orderId, why: `a payment, ${status}` }
    }),
  ]
}
