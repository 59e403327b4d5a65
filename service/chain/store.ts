import { statement } from '../db/index.ts'

export type CursorRow = {
  number: bigint
  id: string
  time: Date
  solidNumber: bigint
  solidId: string
  solidTime: Date
}

export const CURSOR = `number, block_id as id, block_time as time, solid_number as "solidNumber",
  solid_id as "solidId", solid_time as "solidTime"`

export const readCursor = statement<CursorRow>(
  'chain.readCursor',
  `
  select ${CURSOR} from chain.cursor
`,
)
