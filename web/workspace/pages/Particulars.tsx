import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { patch } from '../../shared/api.ts'
import { Panel, Trouble } from '../../shared/Page.tsx'
import { particularsQuery, queryClient } from '../queries.ts'

const NONE = { name: '', address: '', tax_number: '' }

/** What invoices say about the client. */
export function Particulars() {
  const { data, error, refetch } = useQuery(particularsQuery)
  const [typed, setTyped] = useState(NONE)
  useEffect(() => setTyped(data ?? NONE), [data])
  const save = useMutation({
    mutationFn: () => patch('/particulars', typed),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: particularsQuery.queryKey }),
  })
  const field = (name: keyof typeof NONE) => ({
    value: typed[name],
    disabled: !data,
    onChange: (event: { currentTarget: { value: string } }) =>
      setTyped({ ...typed, [name]: event.currentTarget.value }),
  })
  return (
    <Panel title="On your invoices">
      {error && <Trouble error={error} retry={refetch} />}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack maw={440}>
          <TextInput label="Name" maxLength={200} {...field('name')} />
          <Textarea label="Address" rows={3} maxLength={600} {...field('address')} />
          <TextInput label="Tax number" maxLength={60} {...field('tax_number')} />
          <Text size="sm" c="dimmed">
            All of it may stay empty. An invoice that was issued keeps what it says.
          </Text>
          <Trouble error={save.error} />
          <Group>
            <Button type="submit" loading={save.isPending}>
              Save particulars
            </Button>
            <Text size="sm" aria-live="polite">
              {save.isSuccess ? 'Saved.' : ''}
            </Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
