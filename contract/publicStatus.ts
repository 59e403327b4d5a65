import { Type } from 'typebox'
import { CountField, EnumField, Nullable, TimeField } from './fields.ts'
import { Incident } from './incident.ts'
import { defineRoute } from './route.ts'
import { Announcement, componentIds, DAY_STATES, Notice, STATES } from './statusWords.ts'

const Day = Type.Object({
  date: Type.String({ description: 'Of UTC, such as 2026-11-19.' }),
  state: EnumField(
    DAY_STATES,
    'The worst state measured on the day; no_data: nothing was measured.',
  ),
  uptime_bps: Nullable(
    CountField('Minutes without an outage, in hundredths of a percent; null: no data.'),
  ),
  minutes: CountField('Minutes measured, maintenance included.'),
})

const StatusComponent = Type.Object({
  id: Type.String({ description: 'Stable; expect new ones.' }),
  name: Type.String({ description: 'In words.' }),
  state: EnumField(STATES, 'Now; unknown: nothing has measured it lately.'),
  since: Nullable(TimeField('Since when it is degraded, out or in maintenance.')),
  uptime_bps: Nullable(
    CountField('Of all minutes measured in 90 days, maintenance left out; null: no data.'),
  ),
  days: Type.Array(Day, { description: '90 days, today last.' }),
})

const Maintenance = Type.Object({
  ...Notice.properties,
  until: TimeField('When it ends.'),
  components: componentIds,
  in_progress: Type.Boolean({ description: 'False: it is still to come.' }),
})

export const getPublicStatus = defineRoute({
  name: 'getPublicStatus',
  method: 'GET',
  path: '/public/status',
  auth: 'public',
  group: 'Public',
  summary: 'Components, incidents and the last 90 days',
  description:
    'Measured by ourselves once a minute. While our database does not answer, it is what this server knew last, and stale is true.',
  reply: {
    status: 200,
    description: 'What is known now; at most a few seconds old, and measured once a minute.',
    schema: Type.Object({
      state: EnumField(STATES, 'The worst state of a component.'),
      message: Type.String({ description: 'The same in words.' }),
      measured_at: Nullable(TimeField('The last measurement; null: there was none yet.')),
      stale: Type.Boolean({
        description: 'True: our database does not answer, and this is what was known before.',
      }),
      method: Type.String({ description: 'How it is measured.' }),
      components: Type.Array(StatusComponent),
      incidents: Type.Array(Incident, {
        description: 'Open ones, then those of the last 90 days, newest first; at most 50.',
      }),
      maintenance: Type.Array(Maintenance, { description: 'Under way and to come, by time.' }),
      announcements: Type.Array(Announcement, { description: 'Shown now.' }),
    }),
  },
  refusals: [],
})
