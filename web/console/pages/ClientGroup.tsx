import { Group, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { groupsQuery } from '../calls.ts'
import { Deed } from '../Deed.tsx'

/** The group of an account, and a move to another one. */
export function ClientGroup({ id, now }: { id: string; now: string | null }) {
  const { data } = useQuery(groupsQuery)
  const [chosen, setChosen] = useState<string>()
  const wanted = chosen ?? now ?? ''
  return (
    <Group align="flex-end">
      <NativeSelect
        label="Group"
        description={now === null ? 'In no group.' : `In ${now}.`}
        value={wanted}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data={[
          { value: '', label: 'No group' },
          ...(data?.groups ?? []).map(({ name }) => ({ value: name, label: name })),
        ]}
      />
      <Deed
        name="Move"
        path={`/accounts/${id}/group`}
        body={{ group: wanted === '' ? null : wanted }}
        disabled={wanted === (now ?? '')}
        onDone={() => setChosen(undefined)}
      >
        {wanted === ''
          ? `From now on this account is in no group; now it is in ${now}.`
          : `From now on what applies to the group ${wanted} applies to this account.`}
      </Deed>
    </Group>
  )
}
