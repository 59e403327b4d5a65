import type { BroadcastState, Chain } from '../chain/index.ts'
import type { Delivery, StepRow } from '../delivery/index.ts'
import { type RequestTraces, type Span, spanIdOf, type Traces, traceOf } from '../http/index.ts'
import type { Bought, OnFinal, Order, Orders } from '../orders/index.ts'
import type { Signing } from '../signing/index.ts'

type Rooms = { orders: Orders; delivery: Delivery; signing: Signing; chain: Chain }

export type OrderTraces = { onBought(bought: Bought): void; onFinal: OnFinal }

/**
 * The trace of an order, whose id is the trace's. The purchase is told by the process that made it; all later steps
 * are read from their rows when the order is final, whichever process did them.
 */
export function createOrderTraces(deps: {
  traces: Traces
  requests(): RequestTraces | undefined
  rooms(): Rooms
}): OrderTraces {
  const { traces, requests, rooms } = deps
  return {
    onBought({ order, trace: request, startMs, endMs, together }) {
      const own = { trace: traceOf(order), id: spanIdOf(order, 'purchase') }
      const link = requests()?.link(request, own)
      traces.add({
        ...own,
        parent: spanIdOf(order),
        name: 'orders.purchase',
        startMs,
        endMs,
        attributes: { 'ergon.order': order, 'ergon.purchases_in_group': together },
        links: link ? [link] : [],
      })
    },
    async onFinal(_tx, orders) {
      // In the transaction that ends them: what it has written is read after its commit.
      for (const { id } of orders) traces.later(() => spansOf(rooms(), id))
    },
  }
}

/** Undefined while the order is not final: its transaction has not committed yet. */
async function spansOf(rooms: Rooms, id: string): Promise<Span[] | undefined> {
  const order = await rooms.orders.findAny(id)
  if (!order || (order.status !== 'COMPLETED' && order.status !== 'FAILED')) return undefined
  const story = await rooms.delivery.outlook.storyOf(id)
  const steps = (story?.steps ?? []).filter(({ attempt }) => attempt !== null)
  const txids = steps.flatMap(({ txid }) => txid ?? [])
  const [signed, sent] = await Promise.all([
    rooms.signing.times(txids),
    rooms.chain.broadcasts.states(txids),
  ])
  const endMs = order.updatedAt.getTime()
  const root = rootOf(order, endMs)
  const startMs = story?.createdAt.getTime() ?? endMs
  return [
    root,
    spanOf(root, 'orders.wait', { startMs: order.createdAt.getTime(), endMs: startMs }),
    ...steps.flatMap((step) => {
      const times = signed.find(({ txid }) => txid === step.txid)
      const broadcast = sent.find(({ txid }) => txid === step.txid)
      return spansOfAttempt(root, step, { times, broadcast })
    }),
  ]
}

function rootOf(order: Order, endMs: number): Span {
  const { id, account, status, amount, source, createdAt } = order
  return {
    trace: traceOf(id),
    id: spanIdOf(id),
    name: 'order',
    startMs: createdAt.getTime(),
    endMs,
    hasFailed: status === 'FAILED',
    attributes: {
      'ergon.order': id,
      'ergon.account': account,
      'ergon.status': status,
      'ergon.source': source,
      'ergon.energy': Number(amount),
    },
  }
}

type Times = { askedAt: Date; answeredAt: Date | null }

/** One try: placed, signed, sent until a block held it, and read from that block. */
function spansOfAttempt(
  root: Span,
  step: StepRow,
  { times, broadcast }: { times: Times | undefined; broadcast: BroadcastState | undefined },
): Span[] {
  const { attempt, provider, state, energy, txid, at, delegatedAt, block } = step
  const ofTransaction: Record<string, string> = txid === null ? {} : { 'ergon.txid': txid }
  const placed = spanOf(root, 'delivery.attempt', {
    of: attempt!,
    startMs: at!.getTime(),
    endMs: root.endMs,
    hasFailed: state !== 'delivered',
    attributes: {
      'ergon.provider': provider,
      'ergon.state': state ?? 'none',
      'ergon.energy': Number(energy),
      ...ofTransaction,
    },
  })
  const spans = [placed]
  const answeredMs = times?.answeredAt?.getTime()
  if (times && answeredMs !== undefined) {
    const startMs = times.askedAt.getTime()
    spans.push(spanOf(placed, 'signing', { of: attempt!, startMs, endMs: answeredMs }))
  }
  if (broadcast && answeredMs !== undefined) {
    spans.push(
      spanOf(placed, 'chain.broadcast', {
        of: attempt!,
        startMs: answeredMs,
        endMs: delegatedAt?.getTime() ?? root.endMs,
        hasFailed: broadcast.state !== 'included',
        attributes: { 'ergon.sends': Number(broadcast.sends), ...ofTransaction },
      }),
    )
  }
  if (delegatedAt && block !== null) {
    const attributes = { 'ergon.block': Number(block), ...ofTransaction }
    const times = { startMs: delegatedAt.getTime(), endMs: root.endMs }
    spans.push(spanOf(placed, 'chain.block', { of: txid ?? attempt!, ...times, attributes }))
  }
  return spans
}

type Made = Pick<Span, 'startMs' | 'endMs' | 'hasFailed' | 'attributes'> & { of?: string }

function spanOf({ trace, id: parent }: Span, name: string, { of = '', ...made }: Made): Span {
  return { trace, parent, id: spanIdOf(trace, name, of), name, ...made }
}
