import { Alert } from '@mantine/core'
import { When } from '../shared/When.tsx'

/** On every page of a blocked client: why, and what still works. */
export default function Blocked({ reason, since }: { reason: string; since: string }) {
  return (
    <Alert color="red" title="This account is blocked" m="md" role="status">
      {reason} Nothing is sold to it. Your balance stays, deposits are credited, and you can read
      everything. Write to support. Blocked <When at={since} />.
    </Alert>
  )
}
