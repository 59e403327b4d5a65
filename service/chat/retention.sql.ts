import { statement } from '../db/index.ts'

export const pruneMessages = statement<{ rows: bigint }>(
  'chat.pruneMessages',
  `
  with gone as (
    delete from chat.message
     where id = any (array(
             select m.id from chat.message m where m.queued_at < $1 order by m.queued_at limit $2))
    returning id
  )
  select count(*) as rows from gone
`,
)

/** Of chats that are linked to no account and that nothing waits for: anybody can write to the bot. */
export const pruneConversations = statement<{ rows: bigint }>(
  'chat.pruneConversations',
  `
  with gone as (
    delete from chat.conversation c
     using (select n.app, n.address from chat.conversation n
             where n.open_at < $1 and n.due_at = 'infinity'
               and not exists (select from chat.chat l where l.app = n.app and l.address = n.address)
             limit $2
               for update skip locked) old
     where c.app = old.app and c.address = old.address
    returning c.address
  )
  select count(*) as rows from gone
`,
)
