import type { Role } from '@ergon/contract'
import { statement } from '../db/index.ts'

export type OperatorRow = { id: string; email: string; role: Role }

/** Operators of a name: an e-mail address, or what comes before its @. */
export const operatorsNamed = statement<OperatorRow>(
  'identity.operatorsNamed',
  `
  select id, email, coalesce("operatorRole", 'viewer') as role
    from better_auth."user"
   where "role" = 'operator' and (email = $1 or split_part(email, '@', 1) = $1)
   order by email <> $1, email
   limit 2
`,
)

export const anyOperator = statement<{ id: string }>(
  'identity.anyOperator',
  `
  select id from better_auth."user" where "role" = 'operator' limit 1
`,
)

/** Every administrator, locked: of two changes at once the second sees what the first has left. */
export const lockAdministrators = statement<{ id: string; email: string }>(
  'identity.lockAdministrators',
  `
  select id, email from better_auth."user" where "operatorRole" = 'administrator' order by id for update
`,
)

export const setOperatorRole = statement<{ email: string }>(
  'identity.setOperatorRole',
  `
  update better_auth."user" set "operatorRole" = $2
   where email = $1 and "role" = 'operator'
  returning email
`,
)

/** Sessions, password and app go with the person. */
export const removeOperator = statement<{ email: string }>(
  'identity.removeOperator',
  `
  delete from better_auth."user" where email = $1 and "role" = 'operator' returning email
`,
)

export const operatorRole = statement<{ role: Role }>(
  'identity.operatorRole',
  `
  select coalesce("operatorRole", 'viewer') as role from better_auth."user" where email = $1 and "role" = 'operator'
`,
)
