import { Button, Group, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { saveCsv } from '../../shared/csv.ts'
import { IconDownload } from '../../shared/icons.tsx'
import { Page, Panel, Trouble } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { act, actionsQuery, allActions, findingsQuery } from '../calls.ts'
import { Evidence, Health, Rows, Shown } from '../Shown.tsx'
import { type Open, useOpen } from '../useOpen.ts'

/** The log of operators' actions with reasons and changes, and the auditor's findings. */
export function AuditLog() {
  const open = useOpen('/audit')
  const filter = filterOf(open)
  const actions = useQuery(actionsQuery(filter))
  const findings = useQuery(findingsQuery)
  const check = useMutation({
    mutationFn: () => act<{ invariant: string | null }>('/findings/check'),
  })
  return (
    <Page
      title="Audit log"
      action={
        <Button variant="default" onClick={() => check.mutate()} loading={check.isPending}>
          Check the books now
        </Button>
      }
    >
      <Trouble error={check.error} />
      {check.data && (
        <Health ok={check.data.invariant === null}>
          {check.data.invariant === null ? 'The books add up' : `Broken: ${check.data.invariant}`}
        </Health>
      )}
      <Shown query={findings}>
        {(data) =>
          data.findings.length > 0 && (
            <Panel title="What the auditor found">
              {data.findings.map((finding) => (
                <div key={finding.id}>
                  <Text size="sm">
                    <Health ok={false}>{finding.invariant}</Health> {finding.promise},{' '}
                    <When at={finding.found_at} />
                  </Text>
                  <Evidence value={finding.example} />
                </div>
              ))}
            </Panel>
          )
        }
      </Shown>
      <Panel
        title="Actions"
        action={<Filter key={JSON.stringify(filter)} open={open} filter={filter} />}
      >
        <Shown query={actions}>
          {(data) => (
            <Rows label="Actions" head={['When', 'Who', 'What', 'Why', 'Outcome', 'Change']}>
              {data.actions.map((one) => (
                <tr key={one.id}>
                  <td className="nowrap">
                    <When at={one.at} />
                  </td>
                  <td>{one.who}</td>
                  <td className="whole">
                    {one.what.replaceAll('_', ' ')} <Subject of={one} />
                  </td>
                  <td className="whole">{one.why}</td>
                  <td>
                    <Health ok={one.done === true}>
                      {one.done === null ? 'not known' : one.done ? 'done' : 'refused'}
                    </Health>
                  </td>
                  <td className="whole">
                    <Change change={one.change} />
                  </td>
                </tr>
              ))}
            </Rows>
          )}
        </Shown>
        <Older rows={actions.data?.actions ?? []} open={open} />
      </Panel>
    </Page>
  )
}

/** What the address names, as the server takes it; `id` is the last row of the page before. */
function filterOf({ who, of, from, to, id }: Open): Record<string, string> {
  const named = { who, subject: of, from, to, before: id }
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  )
}

const ROWS = 100

function Older({ rows, open }: { rows: { id: string }[]; open: ReturnType<typeof useOpen> }) {
  const { go, id, ...filter } = open
  const isFull = rows.length === ROWS
  if (!isFull && !id) return null
  return (
    <Group mt="sm">
      {id && (
        <Button variant="default" onClick={() => go(filter)}>
          Newest
        </Button>
      )}
      {isFull && (
        <Button variant="default" onClick={() => go({ ...filter, id: rows.at(-1)!.id })}>
          Older
        </Button>
      )}
    </Group>
  )
}

function Filter({
  open,
  filter,
}: {
  open: ReturnType<typeof useOpen>
  filter: Record<string, string>
}) {
  const [who, setWho] = useState(open.who ?? '')
  const [of, setOf] = useState(open.of ?? '')
  const [from, setFrom] = useState(open.from ?? '')
  const [to, setTo] = useState(open.to ?? '')
  const csv = useMutation({
    mutationFn: async () => {
      const { before: _, ...all } = filter
      const rows = await allActions(all)
      saveCsv(
        'audit-log.csv',
        ['at', 'who', 'what', 'of', 'why', 'done', 'change'],
        rows.map(({ at, who, what, subject, why, done, change }) => [
          at,
          who,
          what,
          subject,
          why,
          done === null ? 'not known' : String(done),
          JSON.stringify(change ?? {}),
        ]),
      )
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        open.go({ who: who.trim(), of: of.trim(), from, to })
      }}
    >
      <Group align="end" gap="sm">
        <TextInput
          label="Person"
          value={who}
          onChange={(event) => setWho(event.currentTarget.value)}
        />
        <TextInput
          label="Thing"
          placeholder="id, e-mail, switch"
          value={of}
          onChange={(event) => setOf(event.currentTarget.value)}
        />
        <TextInput
          label="First day"
          type="date"
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          label="Last day"
          type="date"
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Button type="submit" variant="default">
          Filter
        </Button>
        <Button
          variant="default"
          leftSection={<IconDownload />}
          loading={csv.isPending}
          onClick={() => csv.mutate()}
        >
          CSV
        </Button>
      </Group>
    </form>
  )
}

/** An id is shortened, a name is not. */
function Subject({ of: { subject, who } }: { of: { subject: string; who: string } }) {
  if (subject === who) return null
  if (/^[0-9a-f-]{36}$/.test(subject)) return <Address value={subject} />
  return <span className="soft">{subject}</span>
}

const isPlain = (value: unknown) => value === null || typeof value !== 'object'

/** The old and the new value, collapsed when they are longer than a word. */
function Change({ change }: { change: unknown }) {
  const parts = Object.entries((change ?? {}) as Record<string, unknown>)
  if (parts.length === 0) return <span className="soft">–</span>
  const { before, after, ...rest } = Object.fromEntries(parts)
  if (parts.every(([, value]) => isPlain(value))) {
    const others = Object.entries(rest).map(([name, value]) => `${name} ${value}`)
    const turned = before !== undefined || after !== undefined ? [`${before} → ${after}`] : []
    return <span className="wrap">{[...turned, ...others].join(', ')}</span>
  }
  return (
    <details className="fold">
      <summary>Before and after</summary>
      <Evidence value={change} />
    </details>
  )
}
