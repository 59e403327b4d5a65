import { formatTrx, sun } from '../kernel/index.ts'
import type { Order } from '../orders/index.ts'
import type { OperatorRooms } from './operator.ts'

/** One thing that happened to an order. */
export type Happening = {
  at: Date
  kind: 'order' | 'money' | 'delivery' | 'chain' | 'event' | 'webhook'
  what: string
  /** A transaction, a movement, an event or a delivery. */
  reference: string | null
}

/** Public, for the client. */
export const proofPath = (order: string) => `/v1/public/proof/${order}`

type Steps = NonNullable<
  Awaited<ReturnType<OperatorRooms['delivery']['outlook']['storyOf']>>
>['steps']

/** Events about the hour after a delivery are part of the order, and so is what is told a little late. */
const AFTER_MS = 2 * 3_600_000

/** Everything about one order in order of time: money, attempts, chain, events, deliveries to webhooks. */
export async function orderHistory(rooms: OperatorRooms, order: Order): Promise<Happening[]> {
  const story = await rooms.delivery.outlook.storyOf(order.id)
  const steps = story?.steps ?? []
  const references = [order.id, ...steps.flatMap(referencesOf)]
  const to = new Date(order.updatedAt.getTime() + AFTER_MS)
  const [movements, events] = await Promise.all([
    rooms.ledger.referring([...new Set(references)]),
    rooms.events.ofSubjects(order.account, { subjects: [order.id], from: order.createdAt, to }),
  ])
  const sent = await rooms.webhooks.deliveries.ofEvents(
    order.account,
    events.map(({ id }) => id),
    order.createdAt,
  )
  const happened: Happening[] = [
    {
      at: order.createdAt,
      kind: 'order',
      what: `ordered, source ${order.source}`,
      reference: order.id,
    },
    ...steps.flatMap(ofStep),
    ...movements.map((one): Happening => {
      const amount = `${formatTrx(sun(one.amount))} TRX from ${one.debit} to ${one.credit}`
      const what = `${one.kind}: ${amount}; ${one.description}`
      return { at: one.createdAt, kind: 'money', what, reference: one.id }
    }),
    ...events.map(({ id, type, createdAt }): Happening => {
      return { at: createdAt, kind: 'event', what: type, reference: id }
    }),
    ...sent.map((one): Happening => {
      const answer = one.responseStatus ?? one.error ?? 'not sent yet'
      const what = `${one.type} to ${one.webhook}: ${one.state} after ${one.attempts} attempts, ${answer}`
      return { at: one.attemptedAt ?? one.createdAt, kind: 'webhook', what, reference: one.id }
    }),
  ]
  if (order.status === 'COMPLETED' || order.status === 'FAILED') {
    const at = order.completedAt ?? order.updatedAt
    const why = order.error ? `: ${order.error}` : ''
    const what = `${order.status.toLowerCase()}${why}`
    happened.push({ at, kind: 'order', what, reference: order.id })
  }
  // Stable: what has the same time stays in the order in which it happened.
  return happened.sort((a, b) => a.at.getTime() - b.at.getTime())
}

const referencesOf = ({ part, attempt, txid, reclaimTxid }: Steps[number]) =>
  [part, attempt, txid, reclaimTxid].filter((one) => one !== null)

function ofStep(step: Steps[number]): Happening[] {
  const { provider, energy, cost, txid, reclaimTxid, at, delegatedAt, reclaimedAt } = step
  const state = step.state ?? step.partState
  const why = step.reason ?? step.response ?? step.partReason
  const asked = `${provider} was asked for ${energy} Energy at ${formatTrx(sun(cost))} TRX: ${state}`
  const block = step.block === null ? '' : ` in block ${step.block}`
  const made: [Date | null, Happening['kind'], string, string | null][] = [
    [at, 'delivery', why ? `${asked}; ${why}` : asked, txid],
    [delegatedAt, 'chain', `${energy} Energy of ${provider} delegated${block}`, txid],
    [reclaimedAt, 'chain', `the Energy of ${provider} came back`, reclaimTxid],
  ]
  return made.flatMap(([when, kind, what, reference]) =>
    when === null ? [] : { at: when, kind, what, reference },
  )
}
