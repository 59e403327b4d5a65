import { statement } from '../db/index.ts'

export const insertMessages = statement(
  'chat.insertMessages',
  `
  insert into chat.message (id, app, address, account_id, text, queued_at)
  select g.id, g.app, g.address, g.account_id, g.text, clock_timestamp()
    from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]) as g(id, app, address, account_id, text)
`,
)

/** In order of the keys, so that concurrent transactions do not deadlock. */
export const touchConversations = statement(
  'chat.touchConversations',
  `
  insert into chat.conversation as c (app, address, due_at)
  select g.app, g.address, clock_timestamp()
    from (select distinct n.app, n.address from unnest($1::text[], $2::text[]) as n(app, address)) g
   order by g.app, g.address
  on conflict (app, address) do update
     set due_at = least(c.due_at, greatest(c.open_at, excluded.due_at))
`,
)
