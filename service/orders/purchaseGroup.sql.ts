import { statement } from '../db/index.ts'

type Outcome =
  | 'accepted'
  | 'replayed'
  | 'in_flight'
  | 'refused'
  | 'selling_off'
  | 'insufficient'
  | 'blocked'
  | 'locked'
  | 'no_quote'

export type BuyRow = { outcome: Outcome; response: string | null; balance: bigint | null }

export const buyMany = statement<BuyRow>(
  'orders.buyMany',
  `
  select outcome, response, balance
    from orders.buy_many($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
   order by place
`,
)

/** Takes the quotes before what `buyMany` takes. */
export const buyAll = statement<BuyRow>(
  'orders.buyAll',
  `
  select outcome, response, balance
    from orders.buy_all($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
   order by place
`,
)

export const buyOne = statement<BuyRow>(
  'orders.buyOne',
  `
  select outcome, response, balance
    from orders.buy_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
`,
)
