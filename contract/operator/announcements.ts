import { Type } from 'typebox'
import { EnumField, Nullable, TextInput, TimeField } from '../fields.ts'
import { defineRoute } from '../route.ts'
import { ANNOUNCEMENT_KINDS, Announcement, componentIds, SEVERITIES } from '../statusWords.ts'
import { byId, group, why } from './fields.ts'

const Written = Type.Object({
  ...Announcement.properties,
  kind: EnumField(ANNOUNCEMENT_KINDS),
  components: componentIds,
  places: Type.Array(Type.String(), { description: 'workspace, pay, status.' }),
  state: Type.String({ description: 'upcoming, current, over or withdrawn.' }),
  written_by: Type.String({ description: 'The operator who wrote it.' }),
  written_at: TimeField('When.'),
})

const Announcements = Type.Object({
  announcements: Type.Array(Written, { description: 'Newest first, at most 100.' }),
})
const reply = { status: 200, schema: Announcements, description: 'All of them.' } as const

const time = (description: string) =>
  Nullable(TextInput(`${description} Such as 2026-11-20T02:00:00Z.`, 40))

/** Judged by the room, with a sentence: bounds here only keep out what is far beyond them. */
const draft = {
  severity: EnumField(SEVERITIES),
  title: TextInput('1 to 120 characters, one line, plain text.', 1_000),
  text: TextInput('Plain text, at most 2,000 characters.', 20_000),
  link: Nullable(TextInput('More about it: https, at most 300 characters.', 2_048)),
  from: time('From when it is shown; of maintenance, when it begins. Null: from now.'),
  until: time('Until when; null: until it is withdrawn, which maintenance may not be.'),
  components: Type.Array(TextInput('Id of a component.', 40), {
    maxItems: 20,
    description: 'What maintenance touches; empty for an announcement.',
  }),
  places: Type.Array(TextInput('workspace, pay or status.', 20), {
    maxItems: 10,
    description: 'Where it is shown; maintenance always on the status page too.',
  }),
}

export const getOperatorAnnouncements = defineRoute({
  name: 'getOperatorAnnouncements',
  method: 'GET',
  path: '/announcements',
  auth: 'operator',
  group,
  summary: 'Announcements and maintenance windows',
  reply,
  refusals: [],
})

export const postOperatorAnnouncement = defineRoute({
  name: 'postOperatorAnnouncement',
  method: 'POST',
  path: '/announcements',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Write an announcement or a maintenance window',
  body: Type.Object({ kind: EnumField(ANNOUNCEMENT_KINDS), ...draft, why }),
  reply,
  refusals: ['validation_error'],
})

export const postOperatorAnnouncementEdit = defineRoute({
  name: 'postOperatorAnnouncementEdit',
  method: 'POST',
  path: '/announcements/{id}',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Change the text, times or places of an announcement that has not ended',
  params: byId,
  body: Type.Object({ ...draft, why }),
  reply,
  refusals: ['not_found', 'validation_error'],
})

export const postOperatorAnnouncementEnd = defineRoute({
  name: 'postOperatorAnnouncementEnd',
  method: 'POST',
  path: '/announcements/{id}/end',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'End an announcement now, such as maintenance that finished early',
  params: byId,
  body: Type.Object({ why }),
  reply,
  refusals: ['not_found', 'validation_error'],
})

export const postOperatorAnnouncementWithdrawal = defineRoute({
  name: 'postOperatorAnnouncementWithdrawal',
  method: 'POST',
  path: '/announcements/{id}/withdrawal',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Take one back: it is shown nowhere any more',
  params: byId,
  body: Type.Object({ why }),
  reply,
  refusals: ['not_found', 'validation_error'],
})
