import { statement } from '../db/index.ts'

export type HeldRow = { outcome: 'held' | 'blocked' | 'too_many' | 'too_much' | 'too_often' }

export const holdPrice = statement<HeldRow>(
  'orders.holdPrice',
  `
  select outcome from orders.hold_price($1, $2, $3, $4, $5, $6, $7, $8, $9)
`,
)

export type QuoteRow = { amount: bigint; price: bigint; expiresAt: Date; isRedeemed: boolean }

export const findQuote = statement<QuoteRow>(
  'orders.findQuote',
  `
  select resource_amount as amount, price_sun as price, expires_at as "expiresAt",
         order_id is not null as "isRedeemed"
    from orders.quote where id = $1 and account_id = $2
`,
)
