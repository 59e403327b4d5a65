import { Container, Group, Paper, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { IconBolt } from '../../shared/icons.tsx'

/** The answer of every way to sign in. */
export type Entered = { totp_required: boolean }

/** The layout of the sign-in and sign-up pages. */
export function Entrance({
  title,
  children,
  below,
}: {
  title: string
  children: ReactNode
  below: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Ergon`
  }, [title])
  return (
    <Container size={420} py={{ base: 'xl', sm: 64 }} component="main">
      <Group gap={6} mb="lg" justify="center">
        <IconBolt size={28} color="var(--accent)" fill="var(--accent)" />
        <Text fw={700} size="xl">
          Ergon
        </Text>
      </Group>
      <Paper withBorder p="lg" radius="md">
        <Title order={1} size="h3" mb="md">
          {title}
        </Title>
        {children}
      </Paper>
      <Text ta="center" mt="md" size="sm">
        {below}
      </Text>
    </Container>
  )
}
