import { statement } from '../db/index.ts'

export const sellOne = statement<{ outcome: 'sold' | 'selling_off' | 'insufficient' }>(
  'orders.sellOne',
  `
  select outcome from orders.sell_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
`,
)
