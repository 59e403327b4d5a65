import {
  getAnnouncements,
  getPublicStatus,
  type HandledRoute,
  handle,
  postAnnouncementDismissal,
  refuse,
  Verbatim,
} from '@ergon/contract'
import type { Clock } from '../kernel/index.ts'
import { isoOf, isUnderWay, shownNotice } from './describe.ts'
import type { Status, Told } from './status.ts'

/** The public endpoint; its bytes are kept as long as what they say. */
export function statusRoutes({ status }: { status: Status }): HandledRoute[] {
  let kept: { of: Told; answer: Verbatim } | undefined
  return [
    handle(getPublicStatus, async () => {
      const told = await status.now()
      if (kept?.of !== told) {
        const headers = { 'cache-control': 'public, max-age=10' }
        kept = { of: told, answer: new Verbatim(told.body, headers) }
      }
      return kept.answer
    }),
  ]
}

/** What the workspace shows above its pages. */
export function announcementRoutes(deps: { status: Status; clock: Clock }): HandledRoute[] {
  const { status, clock } = deps
  const { announcements } = status
  return [
    handle(getAnnouncements, async ({ account }) => {
      const shown = await status.shownAt('workspace')
      const dismissed =
        shown.length > 0 ? await announcements.dismissedBy(account) : new Set<string>()
      const now = clock.now()
      const left = shown.filter((row) => isUnderWay(row, now) || !dismissed.has(row.id))
      return {
        announcements: left.map((row) => ({
          ...shownNotice(row),
          kind: row.kind,
          until: isoOf(row.until),
          components: row.components,
          in_progress: isUnderWay(row, now),
        })),
      }
    }),
    handle(postAnnouncementDismissal, async ({ account }, { params: { id } }) => {
      const found = (await status.shownAt('workspace')).find((row) => row.id === id)
      if (!found) return refuse('not_found', { message: 'Nothing like this is shown now.' })
      if (isUnderWay(found, clock.now())) {
        const message = 'Maintenance that is under way cannot be hidden.'
        return refuse('validation_error', { message })
      }
      await announcements.dismiss(account, id)
      return null
    }),
  ]
}
