import { TextInput } from '@mantine/core'

type Props = {
  from: string | undefined
  to: string | undefined
  set(part: 'from' | 'to', day: string): void
}

/** The first and the last day of a list, in UTC. */
export function Days({ from, to, set }: Props) {
  return (
    <>
      <TextInput
        type="date"
        label="From"
        value={from ?? ''}
        onChange={(event) => set('from', event.currentTarget.value)}
      />
      <TextInput
        type="date"
        label="To"
        value={to ?? ''}
        onChange={(event) => set('to', event.currentTarget.value)}
      />
    </>
  )
}
