import { defineRoute, type HandledRoute, handle, refuse } from '@ergon/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { createServer, type Guard, mount } from '../../service/http/index.ts'
import { type Log, silentLog, systemRuntime } from '../../service/kernel/index.ts'

/** Routes of an invented shop, to test the HTTP server without any room. */
const sale = defineRoute({
  name: 'postSale',
  method: 'POST',
  path: '/sales/{id}',
  auth: 'public',
  group: 'Shop',
  summary: 'A sale',
  params: Type.Object({ id: Type.String() }),
  query: Type.Object({
    page: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }),
    note: Type.Optional(Type.String({ format: 'text', maxLength: 10 })),
  }),
  body: Type.Object({
    amount: Type.Integer({ exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    buyer: Type.String({ format: 'text', minLength: 1, maxLength: 8 }),
    gift: Type.Optional(Type.Boolean()),
    colour: Type.Optional(Type.Enum(['red', 'blue'])),
    tags: Type.Optional(Type.Array(Type.String({ format: 'text' }), { maxItems: 30 })),
  }),
  reply: {
    status: 200,
    description: 'What was understood.',
    schema: Type.Object({
      received: Type.String(),
      total: Type.Unsafe<bigint>({ type: 'integer' }),
    }),
  },
  refusals: ['order_not_found', 'insufficient_balance'],
})

const visit = defineRoute({
  name: 'postVisit',
  method: 'POST',
  path: '/visits',
  auth: 'public',
  group: 'Shop',
  summary: 'A visit, with nothing to say',
  body: Type.Object({ words: Type.Optional(Type.String()) }),
  reply: { status: 200, description: 'Seen.', schema: Type.Object({ words: Type.String() }) },
  refusals: [],
})

const broken = defineRoute({
  name: 'getBroken',
  method: 'GET',
  path: '/broken',
  auth: 'public',
  group: 'Shop',
  summary: 'A bug of ours',
  reply: { status: 200, description: 'Never.', schema: Type.Object({}) },
  refusals: [],
})

const handled: HandledRoute[] = [
  handle(sale, (_caller, { params, query, body }) => {
    if (params.id === 'none') return refuse('order_not_found')
    if (params.id === 'poor')
      return refuse('insufficient_balance', {
        current_balance: 2n ** 60n,
        required_amount: 2n ** 61n,
      })
    return { received: JSON.stringify({ params, query, body }), total: 9_007_199_254_740_993n }
  }),
  handle(visit, (_caller, { body }) => ({ words: body.words ?? 'none' })),
  handle(broken, () => {
    throw new Error('canary: select secret from somewhere')
  }),
]

export type Shop = { url: string; app: FastifyInstance; close(): Promise<void> }

export async function openShop({
  guard = () => '',
  log = silentLog,
}: {
  guard?: Guard
  log?: Log
} = {}): Promise<Shop> {
  const app = createServer({ runtime: systemRuntime(), log, trustedProxies: [] })
  mount(app, { prefix: '', routes: handled, guard })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, app, close: () => app.close() }
}
