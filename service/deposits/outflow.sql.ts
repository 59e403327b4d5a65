import { statement } from '../db/index.ts'

/** Transactions that match a sweep or payout of ours exactly. */
export const knownTransfers = statement<{ txid: string }>(
  'deposits.knownTransfers',
  `
  select g.txid
    from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as g(txid, owner, receiver, amount)
   where exists (select from deposits.sweep s
                  where s.txid = g.txid and s.address = g.owner and s.amount_sun = g.amount and g.receiver = any ($5::text[]))
      or exists (select from deposits.payout p
                  where p.txid = g.txid and p.to_address = g.receiver and p.amount_sun = g.amount and g.owner = any ($5))
`,
)
