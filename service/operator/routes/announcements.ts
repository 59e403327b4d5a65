import {
  getOperatorAnnouncements,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorAnnouncement,
  postOperatorAnnouncementEdit,
  postOperatorAnnouncementEnd,
  postOperatorAnnouncementWithdrawal,
  type Refusal,
} from '@ergon/contract'
import { type Draft, shownNotice, stateOf } from '../../status/index.ts'
import { timeOf } from '../times.ts'
import type { ConsoleDeps } from './deps.ts'
import { isoOf } from './deps.ts'

type Body = {
  severity: Draft['severity']
  title: string
  text: string
  link: string | null
  from: string | null
  until: string | null
  components: string[]
  places: string[]
}

export function announcementRoutes({ operator, clock }: ConsoleDeps): HandledRoute[] {
  const { announcing } = operator
  async function reply() {
    const now = clock.now()
    return {
      announcements: (await announcing.announcements()).map((row) => ({
        ...shownNotice(row),
        kind: row.kind,
        until: isoOf(row.until),
        components: row.components,
        places: row.places,
        state: stateOf(row, now),
        written_by: row.writtenBy,
        written_at: row.writtenAt.toISOString(),
      })),
    }
  }
  const after = async (done: string | Refusal) => (isRefusal(done) ? done : reply())
  /** Components and places are judged by the room. */
  const draftIn = ({ severity, title, text, link, from, until, components, places }: Body) => ({
    severity,
    title,
    text,
    link: link || null,
    from: from === null || from === '' ? clock.now() : timeOf(from),
    until: until === null || until === '' ? null : timeOf(until),
    components: components as Draft['components'][number][],
    places: places as Draft['places'][number][],
  })
  return [
    handle(getOperatorAnnouncements, reply),
    handle(postOperatorAnnouncement, async ({ account: who }, { body }) => {
      const { kind, why } = body
      return after(await announcing.write({ kind, ...draftIn(body) }, { who, why }))
    }),
    handle(postOperatorAnnouncementEdit, async ({ account: who }, { params: { id }, body }) =>
      after(await announcing.edit(id, draftIn(body), { who, why: body.why })),
    ),
    handle(postOperatorAnnouncementEnd, async ({ account: who }, { params: { id }, body }) =>
      after(await announcing.end(id, { who, why: body.why })),
    ),
    handle(postOperatorAnnouncementWithdrawal, async ({ account: who }, { params: { id }, body }) =>
      after(await announcing.withdraw(id, { who, why: body.why })),
    ),
  ]
}
