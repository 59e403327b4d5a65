import { Button, Container, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { isReached, whenReachChanges } from './api.ts'
import { Brand } from './Brand.tsx'
import { IconAlert } from './icons.tsx'
import { messageOf } from './messages.ts'

/** Says above a page that what it shows may be old, until an answer comes again. */
export function Unreachable() {
  const reached = useSyncExternalStore(whenReachChanges, isReached)
  return (
    <div role="alert">
      {!reached && (
        <p className="unreachable">
          <IconAlert size={18} />
          The service cannot be reached. What you see may be old; it is asked again by itself.
        </p>
      )}
    </div>
  )
}

/** In place of a page that could not be loaded. */
export function NotLoaded({ error }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <Container size={480} py={64} component="main">
      <Brand />
      <Title order={1} size="h2" mt="lg">
        The page could not be loaded
      </Title>
      <Text my="sm">{messageOf(error)}</Text>
      <Button onClick={() => router.invalidate()}>Try again</Button>
    </Container>
  )
}
