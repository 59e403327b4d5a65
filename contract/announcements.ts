import { Type } from 'typebox'
import { EnumField } from './fields.ts'
import { defineRoute } from './route.ts'
import { ANNOUNCEMENT_KINDS, Announcement, componentIds } from './statusWords.ts'

const group = 'Workspace'

export const getAnnouncements = defineRoute({
  name: 'getAnnouncements',
  method: 'GET',
  path: '/announcements',
  auth: 'session',
  group,
  summary: 'What the workspace shows now: announcements, and maintenance to come or under way',
  reply: {
    status: 200,
    schema: Type.Object({
      announcements: Type.Array(
        Type.Object({
          ...Announcement.properties,
          kind: EnumField(ANNOUNCEMENT_KINDS),
          components: componentIds,
          in_progress: Type.Boolean({ description: 'Maintenance that is under way.' }),
        }),
        {
          description:
            'The announcements that this account has not hidden; maintenance comes first.',
        },
      ),
    }),
    description: 'The announcements.',
  },
  refusals: [],
})

export const postAnnouncementDismissal = defineRoute({
  name: 'postAnnouncementDismissal',
  method: 'POST',
  path: '/announcements/{id}/dismissal',
  auth: 'session',
  group,
  summary: 'Hide an announcement from the account; maintenance under way stays',
  params: Type.Object({ id: Type.String() }),
  reply: { status: 204, schema: Type.Null(), description: 'Hidden.' },
  refusals: ['not_found', 'validation_error'],
})
