import { NativeSelect } from '@mantine/core'

type Props = {
  label: string
  /** The words for no choice. */
  all: string
  value: string | undefined
  values: readonly string[]
  words(value: string): string
  set(value: string): void
}

/** Narrows a list to one of some values. */
export function Choose({ label, all, value, values, words, set }: Props) {
  return (
    <NativeSelect
      label={label}
      value={value ?? ''}
      onChange={(event) => set(event.currentTarget.value)}
      data={[
        { value: '', label: all },
        ...values.map((one) => ({ value: one, label: words(one) })),
      ]}
    />
  )
}
