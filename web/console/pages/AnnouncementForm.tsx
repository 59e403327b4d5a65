import { COMPONENTS, type getOperatorAnnouncements, type Reply } from '@ergon/contract'
import { Checkbox, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { zoneWords } from '../../shared/times.ts'
import { useNow } from '../../shared/useNow.ts'
import { Deed } from '../Deed.tsx'

export type Announcement = Reply<typeof getOperatorAnnouncements>['announcements'][number]

const PLACES = { workspace: 'Workspace', pay: 'Pay pages', status: 'Status page' }
const EMPTY = {
  kind: 'announcement',
  severity: 'info',
  title: '',
  text: '',
  link: '',
  from: '',
  until: '',
  components: [] as string[],
  places: ['workspace', 'status'],
}

/** Writes an announcement or a maintenance window, or changes one that is not over. */
export function AnnouncementForm({ of, onDone }: { of?: Announcement; onDone?(): void }) {
  const [draft, setDraft] = useState(of ? draftOf(of) : EMPTY)
  const zone = zoneWords(useNow())
  const set = (change: Partial<typeof EMPTY>) => setDraft({ ...draft, ...change })
  const isMaintenance = draft.kind === 'maintenance'
  const { kind, ...words } = draft
  const body = {
    ...(!of && { kind }),
    ...words,
    link: draft.link.trim() || null,
    from: isoOf(draft.from),
    until: isoOf(draft.until),
    components: isMaintenance ? draft.components : [],
  }
  return (
    <Stack gap="sm">
      <Group align="flex-end">
        {!of && (
          <NativeSelect
            label="Kind"
            value={draft.kind}
            onChange={(event) => set({ kind: event.currentTarget.value })}
            data={[
              { value: 'announcement', label: 'Announcement' },
              { value: 'maintenance', label: 'Maintenance' },
            ]}
          />
        )}
        <NativeSelect
          label="Severity"
          value={draft.severity}
          onChange={(event) => set({ severity: event.currentTarget.value })}
          data={['info', 'warning', 'critical']}
        />
        <TextInput
          type="datetime-local"
          label={`From, ${zone}`}
          description={isMaintenance ? 'When it begins.' : 'Empty: at once.'}
          value={draft.from}
          onChange={(event) => set({ from: event.currentTarget.value })}
        />
        <TextInput
          type="datetime-local"
          label={`Until, ${zone}`}
          description={isMaintenance ? 'When it ends.' : 'Empty: until it is withdrawn.'}
          value={draft.until}
          onChange={(event) => set({ until: event.currentTarget.value })}
        />
      </Group>
      <TextInput
        label="Title"
        maxLength={120}
        value={draft.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
      />
      <Textarea
        label="Text"
        description="Plain text, at most 2,000 characters."
        autosize
        minRows={2}
        maxLength={2000}
        value={draft.text}
        onChange={(event) => set({ text: event.currentTarget.value })}
      />
      <TextInput
        label="Link"
        placeholder="https://"
        maxLength={300}
        value={draft.link}
        onChange={(event) => set({ link: event.currentTarget.value })}
      />
      {isMaintenance && (
        <Choices
          label="What it touches"
          of={COMPONENTS}
          value={draft.components}
          onChange={(components) => set({ components })}
        />
      )}
      <Choices
        label="Where it is shown"
        of={PLACES}
        value={draft.places}
        onChange={(places) => set({ places })}
      />
      <div>
        <Deed
          name={of ? 'Change' : 'Announce'}
          path={of ? `/announcements/${of.id}` : '/announcements'}
          body={body}
          disabled={draft.title.trim() === '' || draft.places.length === 0}
          onDone={() => {
            if (!of) setDraft(EMPTY)
            onDone?.()
          }}
        >
          Everybody at these places reads it: <b>{draft.title}</b>
        </Deed>
      </div>
    </Stack>
  )
}

/** Checkboxes of words by their ids. */
export function Choices(props: {
  label: string
  of: Record<string, string>
  value: string[]
  onChange(value: string[]): void
}) {
  return (
    <Checkbox.Group label={props.label} value={props.value} onChange={props.onChange}>
      <Group gap="md" mt={4}>
        {Object.entries(props.of).map(([id, name]) => (
          <Checkbox key={id} value={id} label={name} />
        ))}
      </Group>
    </Checkbox.Group>
  )
}

/** The moment that a field of the browser's own zone names. */
const isoOf = (local: string) => (local === '' ? null : new Date(local).toISOString())

function localOf(iso: string | null): string {
  if (iso === null) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const draftOf = (of: Announcement): typeof EMPTY => ({
  ...of,
  link: of.link ?? '',
  from: localOf(of.from),
  until: localOf(of.until),
})
