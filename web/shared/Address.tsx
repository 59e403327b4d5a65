import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from './icons.tsx'

export function shortened(value: string): string {
  return value.length > 16 ? `${value.slice(0, 6)}\u2026${value.slice(-6)}` : value
}

/**
 * An address or an id: shortened in the middle, whole on hover and for screen readers, copied on
 * click.
 */
export function Address({ value, whole = false }: { value: string; whole?: boolean }) {
  const { copy, copied } = useClipboard({ timeout: 1500 })
  if (!value) return <span className="soft">–</span>
  return (
    <button
      type="button"
      className={whole ? 'address whole' : 'address'}
      title={value}
      onClick={(event) => {
        event.stopPropagation()
        copy(value)
      }}
    >
      <span aria-hidden>{whole ? value : shortened(value)}</span>
      <span className="hidden">{copied ? 'Copied' : `Copy ${value}`}</span>
      {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
    </button>
  )
}
