import { Alert, Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { IconAlert } from './icons.tsx'
import { messageOf } from './messages.ts'

/** The box of `Trouble`. */
export default function TroubleBox({
  error,
  retry,
  action,
}: {
  error: unknown
  retry?: () => void
  action?: ReactNode
}) {
  return (
    <Alert color="red" variant="light" icon={<IconAlert />} role="alert">
      <Text size="sm">{messageOf(error)}</Text>
      {(retry || action) && (
        <Group mt="xs" gap="xs">
          {retry && (
            <Button size="xs" variant="default" onClick={retry}>
              Try again
            </Button>
          )}
          {action}
        </Group>
      )}
    </Alert>
  )
}
