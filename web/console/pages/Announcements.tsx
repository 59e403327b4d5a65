import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { EmptyState, Page, Panel } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { announcementsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Shown } from '../Shown.tsx'
import { type Announcement, AnnouncementForm } from './AnnouncementForm.tsx'
import { Incidents } from './Incidents.tsx'

/** What clients are told about the service. */
export function Announcements() {
  const announcements = useQuery(announcementsQuery)
  return (
    <Page title="Announcements" action={<a href="/status">Status page</a>}>
      <Panel title="Write">
        <AnnouncementForm />
      </Panel>
      <Panel title="Announcements and maintenance">
        <Shown query={announcements}>
          {(data) =>
            data.announcements.length === 0 ? (
              <EmptyState title="Nothing was announced yet">
                What you write above is shown in the workspace, on pay pages or on the status page.
              </EmptyState>
            ) : (
              data.announcements.map((one) => <Written key={one.id} of={one} />)
            )
          }
        </Shown>
      </Panel>
      <Incidents />
    </Page>
  )
}

function Written({ of }: { of: Announcement }) {
  const [isEdited, setEdited] = useState(false)
  const isOpen = of.state === 'current' || of.state === 'upcoming'
  return (
    <article className="told" aria-label={of.title}>
      <h3>
        <bdi>{of.title}</bdi>
      </h3>
      <Text size="sm" c="dimmed">
        {of.kind}, {of.severity}, {of.state}. From <When at={of.from} />
        {of.until && (
          <>
            {' '}
            to <When at={of.until} />
          </>
        )}
        . On {of.places.join(', ')}.
        {of.components.length > 0 && ` Touches ${of.components.join(', ')}.`} By {of.written_by}.
      </Text>
      <Text className="announced" dir="auto">
        {of.text}
      </Text>
      {of.link && <a href={of.link}>{of.link}</a>}
      {isOpen && (
        <Group gap="xs" mt={4}>
          <Button size="xs" variant="default" onClick={() => setEdited(!isEdited)}>
            {isEdited ? 'Close' : 'Edit'}
          </Button>
          {of.state === 'current' && (
            <Deed name="End" of={of.title} path={`/announcements/${of.id}/end`}>
              It ends now. Maintenance that is done early is over for clients too.
            </Deed>
          )}
          <Deed name="Withdraw" of={of.title} path={`/announcements/${of.id}/withdrawal`} danger>
            It is shown nowhere any more. The log keeps it.
          </Deed>
        </Group>
      )}
      {isEdited && isOpen && <AnnouncementForm of={of} onDone={() => setEdited(false)} />}
    </article>
  )
}
