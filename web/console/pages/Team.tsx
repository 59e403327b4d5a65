import type { getOperatorTeam, Reply } from '@ergon/contract'
import { Checkbox, Code, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Page, Panel } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { teamQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Health, Rows, Shown } from '../Shown.tsx'

type Operator = Reply<typeof getOperatorTeam>['operators'][number]

const ROLES = ['viewer', 'support', 'finance', 'administrator']
const MAY: Record<string, string> = {
  viewer: 'looks at everything and changes nothing',
  support: 'also agents, AutoEnergy bars and checks of the books',
  finance: 'also prices, adjustments, payouts, decisions and months',
  administrator: 'also switches and the team',
}

/** Who may sign in at the console, with which role, and who is invited. */
export function Team() {
  const team = useQuery(teamQuery)
  return (
    <Page title="Team">
      <Shown query={team}>
        {(data) => (
          <>
            <Panel title="Operators" action={<Invite letters={data.letters} />}>
              <Rows label="Operators" head={['E-mail', 'Role', 'Second step', 'Since', '']}>
                {data.operators.map((one) => (
                  <tr key={one.id}>
                    <td className="whole">{one.email}</td>
                    <td data-label="Role">{one.role}</td>
                    <td data-label="Second step">
                      <Health ok={one.second_step}>
                        {one.second_step ? 'set up' : 'none: can only read'}
                      </Health>
                    </td>
                    <td data-label="Since">
                      <When at={one.created_at} />
                    </td>
                    <td className="deed">
                      <Group gap="xs" justify="flex-end">
                        <ChangeRole one={one} />
                        <Deed name="Remove" of={one.email} path={`/team/${one.id}/removal`} danger>
                          {one.email} is signed out and cannot sign in any more. Their open
                          invitations end.
                        </Deed>
                      </Group>
                    </td>
                  </tr>
                ))}
              </Rows>
            </Panel>
            {data.invitations.length > 0 && (
              <Panel title="Invitations">
                <Rows label="Invitations" head={['E-mail', 'Role', 'By', 'State', 'Ends', '']}>
                  {data.invitations.map((one) => (
                    <tr key={one.id}>
                      <td className="whole">{one.email}</td>
                      <td data-label="Role">{one.role}</td>
                      <td data-label="By">{one.invited_by}</td>
                      <td data-label="State">{one.state}</td>
                      <td data-label="Ends">
                        <When at={one.expires_at} />
                      </td>
                      <td className="deed">
                        {one.state === 'open' && (
                          <Deed
                            name="Revoke"
                            of={one.email}
                            path={`/team/invitations/${one.id}/revocation`}
                          >
                            The link to {one.email} works no more.
                          </Deed>
                        )}
                      </td>
                    </tr>
                  ))}
                </Rows>
              </Panel>
            )}
          </>
        )}
      </Shown>
    </Page>
  )
}

function Role({ role, choose }: { role: string; choose(role: string): void }) {
  return (
    <NativeSelect
      label="Role"
      description={MAY[role]}
      data={ROLES}
      value={role}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  )
}

function ChangeRole({ one }: { one: Operator }) {
  const [role, setRole] = useState<string>(one.role)
  const path = `/team/${one.id}/role`
  return (
    <Deed name="Change role" of={one.email} path={path} body={{ role }} isReady={role !== one.role}>
      <Role role={role} choose={setRole} />
    </Deed>
  )
}

/** The link is shown once, or goes to the address. */
function Invite({ letters }: { letters: boolean }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('viewer')
  const [byMail, setByMail] = useState(letters)
  const [link, setLink] = useState<string | null>(null)
  return (
    <Stack align="flex-end" gap="xs">
      <Deed
        name="Invite"
        path="/team/invitations"
        body={{ email, role, by_mail: byMail }}
        isReady={/^[^@\s]+@[^@\s]+$/.test(email.trim())}
        onOpen={() => setLink(null)}
        onDone={(done) => {
          setLink((done as { link: string | null }).link)
          setEmail('')
        }}
      >
        <Stack>
          <TextInput
            label="E-mail"
            type="email"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Role role={role} choose={setRole} />
          <Checkbox
            label="Send the link by e-mail"
            description={
              letters ? 'Otherwise it is shown to you once.' : 'There is no mail server.'
            }
            disabled={!letters}
            checked={byMail}
            onChange={(event) => setByMail(event.currentTarget.checked)}
          />
        </Stack>
      </Deed>
      {link && (
        <Text size="sm" component="div">
          Hand over this link, shown once; it works for three days: <Code block>{link}</Code>
        </Text>
      )}
    </Stack>
  )
}
