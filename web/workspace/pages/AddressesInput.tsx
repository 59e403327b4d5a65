import { Button, FileButton, Textarea } from '@mantine/core'

type Props = {
  label: string
  value?: string
  onChange(text: string): void
}

/** Addresses that are pasted, or taken from a file. */
export function AddressesInput({ label, value, onChange }: Props) {
  return (
    <>
      <Textarea
        label={label}
        description="One address on each line, up to 100"
        value={value ?? ''}
        onChange={(event) => onChange(event.currentTarget.value)}
        autosize
        minRows={4}
        maxRows={12}
        spellCheck={false}
        required
      />
      <FileButton
        accept=".txt,.csv,text/plain,text/csv"
        onChange={(file) => void file?.text().then(onChange)}
      >
        {(props) => (
          <Button variant="default" {...props}>
            Take them from a file
          </Button>
        )}
      </FileButton>
    </>
  )
}

/** The first word of each line; what follows a comma or a space is ignored. */
export function addressesIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/[\s,;]/, 1)[0]!)
    .filter((word) => word !== '' && !word.startsWith('#'))
}
