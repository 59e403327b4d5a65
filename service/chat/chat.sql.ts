import { statement } from '../db/index.ts'

export const pruneMessages = statement<{ id: string }>(
  'chat.pruneMessages',
  `
  delete from chat.message
   where id = any (array(
           select m.id from chat.message m
            where m.queued_at < clock_timestamp() - make_interval(hours => $1) order by m.queued_at limit $2))
  returning id
`,
)
