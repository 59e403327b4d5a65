import { IconBolt } from './icons.tsx'

/** The mark and the name, as on the page where customers pay. */
export function Brand({ name = 'Ergon', size = 22 }: { name?: string; size?: number }) {
  return (
    <span className="brand">
      <IconBolt size={size} fill="currentColor" />
      <span>{name}</span>
    </span>
  )
}
