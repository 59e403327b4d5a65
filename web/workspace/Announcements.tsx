import type { getAnnouncements, Reply } from '@ergon/contract'
import { Alert, Anchor } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { post } from '../shared/api.ts'
import { dateWords, exactWords, zoneWords } from '../shared/times.ts'
import { useNow } from '../shared/useNow.ts'
import { announcementsQuery, queryClient } from './queries.ts'

type Announcement = Reply<typeof getAnnouncements>['announcements'][number]

const COLOURS = { info: 'blue', warning: 'yellow', critical: 'red' } as const

/** What operators tell clients, above every page. Texts are shown as they are written, never as markup. */
export default function Announcements({ shown }: { shown: readonly Announcement[] }) {
  return (
    <section aria-label="Announcements" className="announcements">
      {shown.map((one) => (
        <Told key={one.id} {...one} />
      ))}
    </section>
  )
}

function Told({ id, kind, severity, title, text, link, from, until, in_progress }: Announcement) {
  const dismiss = useMutation({
    mutationFn: () => post(`/announcements/${id}/dismissal`),
    onSettled: () => queryClient.invalidateQueries({ queryKey: announcementsQuery.queryKey }),
  })
  const isMaintenance = kind === 'maintenance'
  return (
    <Alert
      color={in_progress ? 'orange' : isMaintenance ? 'yellow' : COLOURS[severity]}
      title={<bdi>{title}</bdi>}
      role="status"
      {...(!in_progress && {
        withCloseButton: true,
        closeButtonLabel: `Hide: ${title}`,
        onClose: () => dismiss.mutate(),
      })}
    >
      {isMaintenance && (
        <p>
          <b>{in_progress ? 'Maintenance is under way' : 'Maintenance is planned'}</b>:{' '}
          <Moment at={from} /> to <Moment at={until!} />
        </p>
      )}
      {text !== '' && (
        <p className="announced" dir="auto">
          {text}
        </p>
      )}
      {link && (
        <Anchor href={link} rel="noopener noreferrer nofollow" target="_blank">
          More about it
        </Anchor>
      )}
    </Alert>
  )
}

/** In the reader's zone, which it names. */
function Moment({ at }: { at: string }) {
  const now = useNow()
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={exactWords(ms)}>
      {dateWords(ms, now)} {zoneWords(ms)}
    </time>
  )
}
