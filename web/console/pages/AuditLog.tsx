import { Button, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { Page, Panel, Trouble } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { act, actionsQuery, findingsQuery } from '../calls.ts'
import { Evidence, Health, Rows, Shown } from '../Shown.tsx'

/** The log of operators' actions with reasons and changes, and the auditor's findings. */
export function AuditLog() {
  const actions = useQuery(actionsQuery)
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
      <Panel title="Actions">
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
      </Panel>
    </Page>
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
