import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from './icons.tsx'

/** Copies a value that somebody has to send elsewhere. */
export function CopyButton({ value, what }: { value: string; what: string }) {
  const { copy, copied } = useClipboard({ timeout: 1500 })
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      onClick={() => copy(value)}
    >
      {copied ? 'Copied' : `Copy ${what}`}
    </Button>
  )
}
