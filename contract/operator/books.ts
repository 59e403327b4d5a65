import { Type } from 'typebox'
import { CountField, EnumField, Nullable, TimeField, TrxField } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { group, why } from './fields.ts'

/** What the figures can be divided by. */
export const BOOKS_GROUPS = ['day', 'month', 'product', 'client', 'provider'] as const
export type BooksGroup = (typeof BOOKS_GROUPS)[number]

const Figures = {
  revenue_trx: TrxField('Prices of delivered orders, and charges of AutoEnergy.'),
  refunds_trx: TrxField('Charges of AutoEnergy that were given back.'),
  rewards_trx: TrxField('Income beside sales.'),
  provider_cost_trx: TrxField('What marketplaces were paid; own stake costs nothing here.'),
  network_fees_trx: TrxField('Burned for our transactions.'),
  goodwill_trx: TrxField('Adjustments of balances, and Energy that came too late.'),
  margin_trx: TrxField('Revenue and rewards less all others.'),
  returned_trx: TrxField('Given back for failed orders. It never was revenue.'),
  completed: CountField('Orders that were delivered.'),
  failed: CountField('Orders that failed and were refunded.'),
  stake_cost_trx: Nullable(
    TrxField(
      'What own stake had to earn. Worked out and never booked; null: not divided by product and client.',
    ),
  ),
  margin_after_stake_trx: Nullable(TrxField('The margin less that; worked out.')),
}

const Day = (description: string) =>
  Type.String({ pattern: '^20\\d\\d-\\d\\d-\\d\\d$', description, examples: ['2026-11-18'] })

export const getOperatorBooks = defineRoute({
  name: 'getOperatorBooks',
  method: 'GET',
  path: '/books',
  auth: 'operator',
  group,
  summary: 'Profit and loss of some days, from the ledger',
  query: Type.Object({
    from: Day('First day, in UTC.'),
    to: Day('Last day.'),
    by: Type.Optional(EnumField(BOOKS_GROUPS, 'One row for each; by day if it is left out.')),
  }),
  reply: {
    status: 200,
    schema: Type.Object({
      rows: Type.Array(
        Type.Object({
          name: Type.String({
            description:
              'The day, month, product, client or provider; empty: of none of them in particular.',
          }),
          ...Figures,
        }),
      ),
      total: Type.Object(Figures),
      delivery: Type.Array(
        Type.Object({
          day: Day('When they were delivered.'),
          orders: CountField('Orders delivered.'),
          median_seconds: CountField('From the charge to the delivery.'),
          p95_seconds: CountField('Nineteen of twenty took no longer.'),
        }),
      ),
      late: Type.Array(
        Type.Object({
          movement_id: Type.String(),
          kind: Type.String(),
          reference_id: Type.String(),
          amount_trx: TrxField('What it adds to the margin.'),
          of_day: Day('When it was made, in a month that was closed already.'),
          day: Day('For which it counts.'),
        }),
        { description: 'At most 1,000.' },
      ),
      check: Type.Object({
        ok: Type.Boolean({ description: 'No day that was compared differs from the ledger.' }),
        sentence: Type.String(),
      }),
      complete: Type.Boolean({
        description: 'False while the newest movements are not counted yet.',
      }),
    }),
    description: 'At most 400 days.',
  },
  refusals: ['validation_error'],
})

const Month = Type.Object({
  month: Type.String({ description: 'Such as 2026-11.' }),
  margin_trx: Nullable(TrxField('When it was closed.')),
  closed_by: Nullable(Type.String({ description: 'Who closed it.' })),
  closed_at: Nullable(TimeField('When it was closed; null while it is open.')),
  why: Nullable(Type.String({ description: 'The reason that was given.' })),
})

export const getOperatorMonths = defineRoute({
  name: 'getOperatorMonths',
  method: 'GET',
  path: '/books/months',
  auth: 'operator',
  group,
  summary: 'Months of the books; newest first',
  reply: {
    status: 200,
    schema: Type.Object({ months: Type.Array(Month) }),
    description: 'All of them.',
  },
  refusals: [],
})

export const postOperatorMonthClose = defineRoute({
  name: 'postOperatorMonthClose',
  method: 'POST',
  path: '/books/months/{month}/close',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Close a month; what comes later for it counts for the open month',
  params: Type.Object({ month: Type.String({ description: 'Such as 2026-11.' }) }),
  body: Type.Object({ why }),
  reply: { status: 200, schema: Month, description: 'Closed, for good.' },
  refusals: ['validation_error'],
})
