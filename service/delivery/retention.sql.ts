import { statement } from '../db/index.ts'

export const pruneSightings = statement<{ rows: bigint }>(
  'delivery.pruneSightings',
  `
  with gone as (
    delete from delivery.sighting
     where txid = any (array(
             select s.txid from delivery.sighting s where s.seen_at < $1 order by s.seen_at limit $2))
    returning txid
  )
  select count(*) as rows from gone
`,
)
