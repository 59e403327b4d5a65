import { statement } from '../../db/index.ts'

/** A client's own, as it keeps them in the workspace. */
export type Client = { name: string; address: string; taxNumber: string }

export const readParticulars = statement<Client>(
  'account.readParticulars',
  `
  select name, address, tax_number as "taxNumber" from account.particulars where account_id = $1
`,
)

export const writeParticulars = statement(
  'account.writeParticulars',
  `
  insert into account.particulars (account_id, name, address, tax_number, changed_at) values ($1, $2, $3, $4, $5)
  on conflict (account_id) do update
     set name = excluded.name, address = excluded.address, tax_number = excluded.tax_number, changed_at = excluded.changed_at
`,
)
