import { Group, NumberInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { grouped } from '../../shared/money.ts'
import { Panel } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { groupsQuery, referralQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Rows, Shown } from '../Shown.tsx'

/** What clients get for those whom they bring. */
export function Commission() {
  const referral = useQuery(referralQuery)
  const [percent, setPercent] = useState<number | string>('')
  return (
    <Panel title="Referral commission">
      <Shown query={referral}>
        {(data) => (
          <Group align="flex-end">
            <NumberInput
              label="Commission, %"
              description={`Now ${data.basis_points / 100} % of each delivered order of who signed up with a client's code.`}
              min={0}
              max={50}
              decimalScale={2}
              value={percent}
              onChange={setPercent}
            />
            <Deed
              name="Set commission"
              path="/referral"
              body={{ basis_points: Math.round(Number(percent) * 100) }}
              disabled={percent === ''}
              onDone={() => setPercent('')}
            >
              Orders that are delivered from now on earn {percent} % of their price for the client
              through whom the buyer signed up. It is a cost of ours.
            </Deed>
          </Group>
        )}
      </Shown>
    </Panel>
  )
}

/** Groups of clients, and a new one. Accounts are moved where an account is shown. */
export function Groups() {
  const groups = useQuery(groupsQuery)
  const [name, setName] = useState('')
  return (
    <Panel title="Groups">
      <Shown query={groups}>
        {(data) => (
          <Rows label="Groups" head={['Name', 'Accounts', 'Since']} right={['Accounts']}>
            {data.groups.map((one) => (
              <tr key={one.name}>
                <td>{one.name}</td>
                <td className="right" data-label="Accounts">
                  {grouped(one.accounts)}
                </td>
                <td data-label="Since">
                  <When at={one.created_at} />
                </td>
              </tr>
            ))}
          </Rows>
        )}
      </Shown>
      <Group align="flex-end" mt="sm">
        <TextInput
          label="New group"
          description="Lower-case letters, digits and hyphens. The name stays."
          placeholder="resellers"
          value={name}
          onChange={(event) => setName(event.currentTarget.value.trim())}
        />
        <Deed
          name="Make group"
          path="/groups"
          body={{ name }}
          disabled={!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)}
          onDone={() => setName('')}
        >
          The group {name} is made, without accounts. Groups cannot be renamed or removed.
        </Deed>
      </Group>
    </Panel>
  )
}
