import { AHEAD_MS, type Statement } from '../db/index.ts'

type DueRow = { due: boolean[]; values: (string | null)[]; aheadMs: bigint }

/** Which of the conditions hold at the business time `$1`, the values of the expressions, and how far business time is
 * ahead. The `where` names `$1` for PostgreSQL, which must know its type even when nothing else uses it. */
export const readDueOf = (
  conditions: readonly string[],
  expressions: readonly string[],
): Statement<DueRow> => ({
  name: 'app.readDue',
  text: `
  select array[${conditions.join(', ')}]::boolean[] as due, array[${expressions.join(', ')}]::text[] as values,
         ${AHEAD_MS} as "aheadMs"
   where $1::timestamptz is not null
`,
})
