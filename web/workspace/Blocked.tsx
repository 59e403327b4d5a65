import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { When } from '../shared/When.tsx'
import { accountQuery } from './queries.ts'

/** On every page of a blocked client: why, and what still works. */
export function Blocked() {
  const { data } = useQuery(accountQuery)
  if (!data?.blocked) return null
  const { reason, since } = data.blocked
  return (
    <Alert color="red" title="This account is blocked" m="md" role="status">
      {reason} Nothing is sold to it. Your balance stays, deposits are credited, and you can read
      everything. Write to support. Blocked <When at={since} />.
    </Alert>
  )
}
