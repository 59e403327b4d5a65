import { Button, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Page, Panel, Trouble } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { act, actionsQuery, findingsQuery } from '../calls.ts'
import { Evidence, Health, Rows, Shown } from '../Shown.tsx'

/** Who did what, why, and what it changed; and what the auditor found. */
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
                  <td>
                    <When at={one.at} />
                  </td>
                  <td>{one.who}</td>
                  <td>
                    {one.what} <span className="soft">{one.subject}</span>
                  </td>
                  <td>{one.why}</td>
                  <td>
                    <Health ok={one.done === true}>
                      {one.done === null ? 'not known' : one.done ? 'done' : 'refused'}
                    </Health>
                  </td>
                  <td className="secret">{JSON.stringify(one.change)?.slice(0, 160)}</td>
                </tr>
              ))}
            </Rows>
          )}
        </Shown>
      </Panel>
    </Page>
  )
}
