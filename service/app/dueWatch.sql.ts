import { BLOCK_READ } from '../chain/index.ts'
import type { Statement } from '../db/index.ts'

type DueRow = { due: boolean[]; block: string | null }

/** Which of the conditions hold at the business time `$1`, and the newest block that was read. The `where` names
 * `$1` for PostgreSQL, which must know its type even when no condition uses it. */
export const readDueOf = (conditions: readonly string[]): Statement<DueRow> => ({
  name: 'app.readDue',
  text: `
  select array[${conditions.join(', ')}]::boolean[] as due, ${BLOCK_READ} as block
   where $1::timestamptz is not null
`,
})
