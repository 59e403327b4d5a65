import { Alert, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { IconAlert } from './icons.tsx'
import { messageOf } from './messages.ts'

export function Page({
  title,
  action,
  children,
}: {
  title: string
  action?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Ergon`
  }, [title])
  return (
    <Stack gap="lg">
      <Group justify="space-between" wrap="wrap" gap="sm">
        <Title order={1} size="h2">
          {title}
        </Title>
        {action}
      </Group>
      {children}
    </Stack>
  )
}

export function Panel({
  title,
  action,
  children,
}: {
  title?: string
  action?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="card" aria-label={title}>
      {(title || action) && (
        <Group justify="space-between" mb="sm" gap="xs">
          <Title order={2} size="h5">
            {title}
          </Title>
          {action}
        </Group>
      )}
      {children}
    </section>
  )
}

/** What the page will show, why it is useful, and the button that starts it. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string
  children: ReactNode
  action?: ReactNode
}) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" className="empty">
      <Text fw={600}>{title}</Text>
      <Text c="dimmed" ta="center" maw={420}>
        {children}
      </Text>
      {action && <div>{action}</div>}
    </Stack>
  )
}

/** An error message, with a button to go on. */
export function Trouble({
  error,
  retry,
  action,
}: {
  error: unknown
  retry?: () => void
  action?: ReactNode
}) {
  if (!error) return null
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

export function RowsSkeleton({ rows = 5 }: { rows?: number }) {
  return (
    <Stack gap={12} aria-busy aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars that never move
        <Skeleton key={row} height={20} radius="sm" />
      ))}
    </Stack>
  )
}
