import { useNavigate, useSearch } from '@tanstack/react-router'

/** What a page shows, from its address. */
export type Open = {
  id?: string
  status?: string
  from?: string
  to?: string
  by?: string
  who?: string
  of?: string
}

/** The open row and the filter of a page, which its address holds. */
export function useOpen(path: string): Open & { go(next: Open): void } {
  const search: Open = useSearch({ strict: false })
  const navigate = useNavigate()
  return { ...search, go: (next) => void navigate({ to: path, search: next } as never) }
}
