import { Anchor, Container, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'

export function Missing() {
  return (
    <Container py="xl" component="main">
      <Title order={1} size="h2">
        There is no such page
      </Title>
      <Text my="sm">The address may be old, or mistyped.</Text>
      <Anchor component={Link} to="/overview">
        To the overview
      </Anchor>
    </Container>
  )
}
