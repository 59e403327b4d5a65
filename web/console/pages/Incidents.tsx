import { COMPONENTS, type getOperatorIncidents, type Reply } from '@ergon/contract'
import { Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Panel } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { incidentsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Shown } from '../Shown.tsx'
import { Choices } from './AnnouncementForm.tsx'

type Incident = Reply<typeof getOperatorIncidents>['incidents'][number]

/** What the status page says went wrong: found by our measurements, or written here. */
export function Incidents() {
  const incidents = useQuery(incidentsQuery)
  return (
    <>
      <Panel title="Open an incident">
        <Text size="sm" c="dimmed" mb="xs">
          What our measurements find opens and ends by itself. Open one for what they do not see.
        </Text>
        <OpenForm />
      </Panel>
      <Panel title="Incidents">
        <Shown query={incidents}>
          {(data) =>
            data.incidents.length === 0 ? (
              <p className="soft">There were none yet.</p>
            ) : (
              data.incidents.map((one) => <Happened key={one.id} of={one} />)
            )
          }
        </Shown>
      </Panel>
    </>
  )
}

const EMPTY = { title: '', impact: 'degraded', components: [] as string[], text: '' }

function OpenForm() {
  const [draft, setDraft] = useState(EMPTY)
  const set = (change: Partial<typeof EMPTY>) => setDraft({ ...draft, ...change })
  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <TextInput
          label="What is wrong"
          maxLength={120}
          value={draft.title}
          onChange={(event) => set({ title: event.currentTarget.value })}
        />
        <NativeSelect
          label="Impact"
          value={draft.impact}
          onChange={(event) => set({ impact: event.currentTarget.value })}
          data={['degraded', 'outage']}
        />
      </Group>
      <Choices
        label="What is affected"
        of={COMPONENTS}
        value={draft.components}
        onChange={(components) => set({ components })}
      />
      <Textarea
        label="What clients read"
        maxLength={2000}
        value={draft.text}
        onChange={(event) => set({ text: event.currentTarget.value })}
      />
      <div>
        <Deed
          name="Open incident"
          path="/incidents"
          body={draft}
          danger
          disabled={!draft.title.trim() || !draft.text.trim() || draft.components.length === 0}
          onDone={() => setDraft(EMPTY)}
        >
          The status page shows it at once, and its components count as {draft.impact} until it is
          resolved: <b>{draft.title}</b>
        </Deed>
      </div>
    </Stack>
  )
}

function Happened({ of }: { of: Incident }) {
  const isWritten = of.origin === 'written'
  return (
    <article className="told" aria-label={of.title}>
      <h3>
        <bdi>{of.title}</bdi>
      </h3>
      <Text size="sm" c="dimmed">
        {of.impact}, {isWritten ? 'written by a person' : 'measured'},{' '}
        {of.withdrawn ? 'withdrawn' : of.ended_at ? 'ended' : 'open'}. {of.components.join(', ')}.
        From <When at={of.began_at} />
        {of.ended_at && (
          <>
            {' '}
            to <When at={of.ended_at} />
          </>
        )}
        .
      </Text>
      {of.updates.map(({ at, phase, text }) => (
        <Text key={`${at} ${phase}`} size="sm" className="announced" dir="auto">
          <b>{phase}</b> <When at={at} />: {text}
        </Text>
      ))}
      {!of.withdrawn && <UpdateForm of={of} />}
    </article>
  )
}

function UpdateForm({ of: { id, title, origin, ended_at } }: { of: Incident }) {
  const [text, setText] = useState('')
  const [phase, setPhase] = useState('investigating')
  const isWritten = origin === 'written'
  const phases = ['investigating', 'identified', 'monitoring']
  return (
    <Group align="flex-end" gap="xs" mt={4}>
      <NativeSelect
        label="Phase"
        aria-label={`Phase of ${title}`}
        value={phase}
        onChange={(event) => setPhase(event.currentTarget.value)}
        data={isWritten || ended_at ? [...phases, 'resolved'] : phases}
      />
      <TextInput
        label="Update"
        aria-label={`Update of ${title}`}
        maxLength={2000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Deed
        name="Write update"
        of={title}
        path={`/incidents/${id}/updates`}
        body={{ phase, text }}
        disabled={text.trim() === ''}
        onDone={() => setText('')}
      >
        Everybody reads it on the status page
        {phase === 'resolved' && !ended_at ? ', and the incident ends' : ''}: {text}
      </Deed>
      {isWritten && (
        <Deed name="Withdraw" of={title} path={`/incidents/${id}/withdrawal`} danger>
          It was opened by mistake: it is shown nowhere any more. The log keeps it.
        </Deed>
      )}
    </Group>
  )
}
