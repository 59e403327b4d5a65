import { Type } from 'typebox'
import { Entry } from './entry.ts'
import {
  AddressField,
  AnyAddressInput,
  BatchResult,
  CountField,
  CursorInput,
  EnumField,
  IdempotencyKey,
  IdempotencyKeyInput,
  INTEGER_MAX,
  Nullable,
  OnlyInput,
  PositiveInput,
  RangeInput,
  SunField,
  TextInput,
  TimeField,
  TrxField,
  TxidField,
  WalletField,
} from './fields.ts'
import { Order } from './order.ts'
import { defineRoute } from './route.ts'

const group = 'Purchase API'

const Account = Type.Object({
  balance_trx: TrxField('Current balance.'),
  reserved_trx: TrxField('Part of the balance held for AutoEnergy; it cannot be spent otherwise.'),
  withheld_trx: TrxField('Part of the balance that waits for a deposit to be in the chain again.'),
  spendable_trx: TrxField('What can be spent now: the balance less these two, never below 0.'),
  deposit_address: AddressField('Send TRX here to top up.'),
  wallet_address: WalletField('Linked login wallet, or empty. It is not where deposits go.'),
  limits: Type.Object(
    {
      requests_per_minute: Nullable(Type.Integer()),
      unverified_credit_trx: Nullable(
        TrxField('What of deposits can be spent before their block is final.'),
      ),
      max_amount: Nullable(CountField('Energy of the largest order.')),
    },
    { description: 'Limits of this account alone; null: as for everybody.' },
  ),
  blocked: Nullable(Type.Object({ reason: Type.String(), since: TimeField('Since when.') })),
})

export const getAccount = defineRoute({
  name: 'getAccount',
  method: 'GET',
  path: '/account',
  auth: 'both',
  group,
  summary: 'Balance and deposit address',
  reply: { status: 200, schema: Account, description: 'The account.' },
  refusals: [],
})

const Estimate = Type.Object({
  total_price_sun: SunField('Price for the requested Energy.'),
  total_price_trx: TrxField('The same price.'),
  min_amount: CountField('Smallest order.'),
  max_amount: CountField('Largest order.'),
})

const resource_type = OnlyInput('ENERGY', 'Only ENERGY, which is the default.')
const duration = OnlyInput('1h', 'Only 1h, which is the default.')

export const getEstimate = defineRoute({
  name: 'getEstimate',
  method: 'GET',
  path: '/estimate',
  auth: 'both',
  group,
  summary: 'Price of an amount of Energy now',
  description:
    'Outside the bounds the list price is answered with the bounds; POST /buy would refuse it.',
  query: Type.Object({
    resource_amount: PositiveInput('Energy wanted.'),
    resource_type,
    duration,
  }),
  reply: { status: 200, schema: Estimate, description: 'The price and the bounds.' },
  refusals: ['unsupported_resource', 'invalid_duration', 'service_unavailable'],
})

const Bought = Type.Object({
  order_id: Type.String({ format: 'uuid' }),
  status: EnumField(['PENDING']),
  total_price_sun: SunField('Deducted at once.'),
  total_price_trx: TrxField('The same price.'),
  balance_after_sun: SunField('Balance after the deduction.'),
})

const purchaseFields = {
  receiver_address: AnyAddressInput('Address that receives the Energy.'),
  resource_amount: { ...PositiveInput('Energy wanted.'), isEnergy: true },
  resource_type,
  duration,
  max_price_sun: Type.Optional(PositiveInput('Refuse when the price is higher.')),
  quote_id: Type.Optional(
    TextInput('Buy at the price of this quote, once, for exactly its amount.'),
  ),
}

export const postBuy = defineRoute({
  name: 'postBuy',
  method: 'POST',
  path: '/buy',
  auth: 'both',
  group,
  summary: 'Buy Energy for an address',
  description:
    'The price is deducted at once. With an Idempotency-Key a repeated request answers the first response byte for byte for 24 hours, with the header Idempotency-Replayed.',
  headers: Type.Object({ 'idempotency-key': IdempotencyKeyInput }),
  body: Type.Object(purchaseFields),
  reply: { status: 200, schema: Bought, description: 'The order was accepted.' },
  refusals: [
    'invalid_idempotency_key',
    'duplicate_request',
    'unsupported_resource',
    'invalid_duration',
    'validation_error',
    'order_amount_below_minimum',
    'order_amount_above_maximum',
    'quote_invalid',
    'price_above_limit',
    'service_unavailable',
    'account_blocked',
    'insufficient_balance',
    'internal_error',
  ],
})

export const postBuyBatch = defineRoute({
  name: 'postBuyBatch',
  method: 'POST',
  path: '/buy/batch',
  auth: 'both',
  group,
  summary: 'Buy Energy for up to 100 addresses',
  description:
    'Mode each: every purchase by itself, as POST /buy would make it. Mode all: one transaction; if one is refused none is made, it carries its refusal and the others batch_refused, and a key that was used already is duplicate_request. Counts as that many requests; over the rate limit nothing is made and nothing counted.',
  countsItemsOf: 'purchases',
  body: Type.Object({
    purchases: Type.Array(Type.Object({ idempotency_key: IdempotencyKey, ...purchaseFields }), {
      minItems: 1,
      maxItems: 100,
      description: '1 to 100 purchases.',
    }),
    mode: EnumField(['each', 'all'], 'each: one by one. all: all of them or none.'),
  }),
  reply: {
    status: 200,
    description: 'The result of each purchase, in the order of the request.',
    schema: Type.Object({ results: Type.Array(BatchResult('POST /buy')) }),
  },
  refusals: [],
})

const Quote = Type.Object({
  id: Type.String({ format: 'uuid' }),
  resource_amount: CountField('Energy that the price is for.'),
  price_sun: SunField('What POST /buy with this quote_id deducts.'),
  price_trx: TrxField('The same price.'),
  expires_at: TimeField('The purchase has to come before this.'),
})

export const postQuote = defineRoute({
  name: 'postQuote',
  method: 'POST',
  path: '/quotes',
  auth: 'both',
  group,
  summary: 'Hold the price of an amount for 60 seconds',
  description:
    'Redeemed once, by quote_id of POST /buy. The retail price is held, no Energy: where the cheapest plan costs more by then, POST /buy answers service_unavailable and the quote stays open. At most 20 open quotes, together at most max_amount Energy, and at most 10 within an hour that end without a purchase.',
  body: Type.Object({
    resource_amount: { ...PositiveInput('Energy wanted.'), isEnergy: true },
  }),
  reply: { status: 200, schema: Quote, description: 'The price is held.' },
  refusals: [
    'order_amount_below_minimum',
    'order_amount_above_maximum',
    'service_unavailable',
    'account_blocked',
    'quote_limit',
  ],
})

export const getOrder = defineRoute({
  name: 'getOrder',
  method: 'GET',
  path: '/order/{id}',
  auth: 'both',
  group,
  summary: 'One order',
  description: 'Poll every 2 to 3 seconds until COMPLETED or FAILED.',
  params: Type.Object({ id: Type.String({ description: 'Order id.' }) }),
  reply: { status: 200, schema: Order, description: 'The order.' },
  refusals: ['order_not_found'],
})

export const getOrders = defineRoute({
  name: 'getOrders',
  method: 'GET',
  path: '/orders',
  auth: 'both',
  group,
  summary: 'Orders, newest first',
  query: Type.Object({
    page: RangeInput('Page, from 1.', 1, INTEGER_MAX, 1),
    page_size: RangeInput('Orders on a page.', 1, 100, 20),
    receiver_address: Type.Optional(
      TextInput(
        'Part of the receiver or buyer address, in any case. All 34 characters match exactly that address.',
      ),
    ),
  }),
  reply: {
    status: 200,
    description: 'One page, and how many orders there are on all pages.',
    schema: Type.Object({
      orders: Type.Array(Order),
      total: CountField('Orders on all pages.'),
      page: CountField('This page.'),
      page_size: CountField('Orders on a page.'),
    }),
  },
  refusals: [],
})

export const getTransactions = defineRoute({
  name: 'getTransactions',
  method: 'GET',
  path: '/transactions',
  auth: 'both',
  group,
  summary: 'Movements of the balance, newest first',
  description: 'Pass next_cursor as cursor until has_more is false.',
  query: Type.Object({
    limit: RangeInput('Entries on a page.', 1, 100, 20),
    cursor: Type.Optional(CursorInput('The previous next_cursor.')),
  }),
  reply: {
    status: 200,
    description: 'One page.',
    schema: Type.Object({
      transactions: Type.Array(Entry),
      has_more: Type.Boolean(),
      next_cursor: Nullable(Type.String({ description: 'Null on the last page.' })),
    }),
  },
  refusals: ['invalid_cursor'],
})

const Deposit = Type.Object({
  tx_hash: TxidField('Deposit transaction.'),
  amount_sun: SunField('Amount.'),
  amount_trx: TrxField('The same amount.'),
  status: EnumField(['pending', 'confirmed', 'reverted']),
  credited_at: Nullable(TimeField('Set within seconds; the amount can be spent from then on.')),
  verified_at: Nullable(TimeField('Set when the block is final.')),
  created_at: TimeField('When it was first seen.'),
})

export const getDeposits = defineRoute({
  name: 'getDeposits',
  method: 'GET',
  path: '/deposits',
  auth: 'both',
  group,
  summary: 'Deposits, newest first',
  description: 'Advance offset by limit until has_more is false.',
  query: Type.Object({
    limit: RangeInput('Deposits on a page.', 1, 100, 20),
    offset: RangeInput('Deposits to pass over.', 0, INTEGER_MAX, 0),
  }),
  reply: {
    status: 200,
    description: 'One page.',
    schema: Type.Object({ deposits: Type.Array(Deposit), has_more: Type.Boolean() }),
  },
  refusals: [],
})
