import { Button, Group, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { IconSearch } from '../../shared/icons.tsx'
import { stateWords } from '../../shared/StatusChip.tsx'
import { sourceWords } from '../../shared/sources.ts'
import { Choose } from '../Choose.tsx'
import { Days } from '../Days.tsx'
import type { OrderFilter } from '../queries.ts'

const STATES = ['PENDING', 'PROCESSING', 'AWAITING_PAYMENT', 'COMPLETED', 'FAILED']
const SOURCES = ['api', 'workspace', 'checkout', 'agent']
const WAIT_MS = 300

type Props = { filter: OrderFilter; change(filter: OrderFilter): void }

/** What the list is narrowed to. It is kept in the address, so that a link shows the same. */
export function OrderFilters({ filter, change }: Props) {
  const [typed, setTyped] = useState(filter.q ?? '')
  useEffect(() => setTyped(filter.q ?? ''), [filter.q])
  const set = (part: keyof OrderFilter, value: string) => {
    const { [part]: _before, ...rest } = filter
    change(value ? { ...rest, [part]: value } : rest)
  }
  const find = useDebouncedCallback((text: string) => set('q', text), WAIT_MS)
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        label="Address"
        aria-label="Find by address"
        placeholder="Part of an address"
        leftSection={<IconSearch size={16} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          find(event.currentTarget.value.trim())
        }}
      />
      <Choose
        label="Status"
        all="All states"
        value={filter.status}
        values={STATES}
        words={stateWords}
        set={(status) => set('status', status)}
      />
      <Choose
        label="Source"
        all="All sources"
        value={filter.source}
        values={SOURCES}
        words={sourceWords}
        set={(source) => set('source', source)}
      />
      <Days from={filter.from} to={filter.to} set={set} />
      {Object.keys(filter).length > 0 && (
        <Button variant="subtle" onClick={() => change({})}>
          Clear
        </Button>
      )}
    </Group>
  )
}
