import { Group, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Panel } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { groupsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'
import { Rows, Shown } from '../Shown.tsx'

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
                  {one.accounts}
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
