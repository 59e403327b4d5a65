import { statement } from '../db/index.ts'

export type DueRow = { address: string; ids: string[]; texts: string[]; failures: number }

/** Chats that may get a message now, each with its oldest waiting messages. */
export const readDue = statement<DueRow>(
  'chat.readDue',
  `
  select c.address, m.ids, m.texts, c.failures
    from (select n.app, n.address, n.failures, n.due_at from chat.conversation n
           where n.app = $1 and n.due_at <= clock_timestamp() and n.address <> all ($2::text[])
           order by n.due_at limit $3) c
   cross join lateral (
          select coalesce(array_agg(o.id::text order by o.id), '{}') as ids,
                 coalesce(array_agg(o.text order by o.id), '{}') as texts
            from (select w.id, w.text from chat.message w
                   where w.app = c.app and w.address = c.address order by w.id limit $4) o) m
   order by c.due_at
`,
)

export const deleteMessages = statement(
  'chat.deleteMessages',
  `
  delete from chat.message where id = any ($1)
`,
)

export const lockConversation = statement(
  'chat.lockConversation',
  `
  select from chat.conversation where app = $1 and address = $2 for update
`,
)

/** A separate statement after the lock, so that it sees messages committed during the wait. */
export const restConversation = statement(
  'chat.restConversation',
  `
  update chat.conversation c
     set open_at = clock_timestamp() + make_interval(secs => $3), failures = $4,
         due_at = case when exists (select from chat.message m where m.app = c.app and m.address = c.address)
                       then clock_timestamp() + make_interval(secs => $3) else 'infinity' end
   where c.app = $1 and c.address = $2
`,
)
