import { statement } from '../db/index.ts'

export type IncidentRow = {
  id: string
  cause: string | null
  impact: 'degraded' | 'outage'
  title: string
  components: string[]
  beganAt: Date
  endedAt: Date | null
  withdrawnAt: Date | null
}

const COLUMNS = `i.id, i.cause, i.impact, i.title, i.components, i.began_at as "beganAt", i.ended_at as "endedAt",
         i.withdrawn_at as "withdrawnAt"`

/** Open ones, then newest first, with what is withdrawn. */
export const listIncidents = statement<IncidentRow>(
  'status.listIncidents',
  `
  select ${COLUMNS} from status.incident i order by (i.ended_at is null) desc, i.began_at desc, i.id desc limit $1
`,
)

/** Open, or ended since $1. */
export const readRecent = statement<IncidentRow>(
  'status.readRecent',
  `
  select ${COLUMNS} from status.incident i
   where i.withdrawn_at is null and (i.ended_at is null or i.ended_at > $1)
   order by (i.ended_at is null) desc, i.began_at desc, i.id desc limit $2
`,
)

export const lockOpen = statement<IncidentRow>(
  'status.lockOpen',
  `
  select ${COLUMNS} from status.incident i where i.ended_at is null and i.withdrawn_at is null order by i.id for update
`,
)

export const lockIncident = statement<IncidentRow>(
  'status.lockIncident',
  `
  select ${COLUMNS} from status.incident i where i.id = $1 for update
`,
)

export const insertIncident = statement(
  'status.insertIncident',
  `
  insert into status.incident (id, cause, impact, title, components, began_at, ended_at) values ($1, $2, $3, $4, $5, $6, $7)
`,
)

export const raiseImpact = statement(
  'status.raiseImpact',
  `
  update status.incident set impact = 'outage' where id = $1
`,
)

export const endIncident = statement(
  'status.endIncident',
  `
  update status.incident set ended_at = greatest($2, began_at) where id = $1
`,
)

/** The newest of this cause that ended after $2; it goes on. */
export const reopenIncident = statement<{ id: string }>(
  'status.reopenIncident',
  `
  update status.incident i
     set ended_at = null, impact = case when $3 = 'outage' then 'outage' else i.impact end
   where i.id = (select l.id from status.incident l
                  where l.cause = $1 and l.ended_at > $2 order by l.ended_at desc limit 1)
  returning i.id
`,
)

export const withdrawIncident = statement(
  'status.withdrawIncident',
  `
  update status.incident set withdrawn_at = $2, ended_at = coalesce(ended_at, greatest($2, began_at)) where id = $1
`,
)

export type UpdateRow = { incident: string; phase: string; text: string; who: string; at: Date }

/** Newest first, of these incidents. */
export const readUpdates = statement<UpdateRow>(
  'status.readUpdates',
  `
  select u.incident_id as incident, u.phase, u.text, u.who, u.at
    from status.incident_update u where u.incident_id = any ($1::uuid[]) order by u.id desc
`,
)

export const countUpdates = statement<{ updates: bigint }>(
  'status.countUpdates',
  `
  select count(*) as updates from status.incident_update where incident_id = $1
`,
)

export const insertUpdate = statement(
  'status.insertUpdate',
  `
  insert into status.incident_update (id, incident_id, phase, text, who, at) values ($1, $2, $3, $4, $5, $6)
`,
)
