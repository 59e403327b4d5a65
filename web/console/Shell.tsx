import { ActionIcon, AppShell, Burger, Group, ScrollArea, Text } from '@mantine/core'
import { useDisclosure, useReducedMotion } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import {
  IconBan,
  IconBolt,
  IconGauge,
  IconList,
  IconLog,
  IconPeople,
  IconPower,
  IconPrice,
  IconQuestion,
  IconRepeat,
  IconShield,
  IconShop,
  IconSignOut,
  IconVault,
} from '../shared/icons.tsx'
import { act, queryClient, sessionQuery } from './calls.ts'

const LINKS = [
  { to: '/', name: 'Status', Icon: IconGauge },
  { to: '/undecided', name: 'Undecided', Icon: IconQuestion },
  { to: '/orders', name: 'Orders', Icon: IconList },
  { to: '/switches', name: 'Switches', Icon: IconPower },
  { to: '/prices', name: 'Prices', Icon: IconPrice },
  { to: '/plans', name: 'Plans', Icon: IconRepeat },
  { to: '/bars', name: 'AutoEnergy bars', Icon: IconBan },
  { to: '/agents', name: 'Agents', Icon: IconShop },
  { to: '/accounts', name: 'Accounts', Icon: IconPeople },
  { to: '/treasury', name: 'Treasury', Icon: IconVault },
  { to: '/audit', name: 'Audit log', Icon: IconLog },
  { to: '/security', name: 'Security', Icon: IconShield },
]

const TRANSITION_MS = 150

export function Shell() {
  const still = useReducedMotion()
  const [opened, menu] = useDisclosure(false)
  const { data: session } = useQuery(sessionQuery)
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'lg' }}
      transitionDuration={still ? 0 : TRANSITION_MS}
    >
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={menu.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close the menu' : 'Open the menu'}
            />
            <Group gap={6} wrap="nowrap">
              <IconBolt size={22} color="var(--accent)" fill="var(--accent)" />
              <Text fw={700}>Ergon console</Text>
            </Group>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <Text size="sm" visibleFrom="sm">
              {session?.email}
            </Text>
            <SignOut />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <ScrollArea>
          {LINKS.map(({ to, name, Icon }) => (
            <Link
              key={to}
              to={to}
              className="nav-link"
              onClick={menu.close}
              activeOptions={{ exact: to === '/' }}
            >
              <Icon size={20} />
              {name}
            </Link>
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <div className="content">
          <Outlet />
        </div>
      </AppShell.Main>
    </AppShell>
  )
}

function SignOut() {
  const navigate = useNavigate()
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label="Sign out"
      title="Sign out"
      onClick={async () => {
        await act('/session/sign-out').catch(() => {})
        queryClient.clear()
        await navigate({ to: '/sign-in' })
      }}
    >
      <IconSignOut size={20} />
    </ActionIcon>
  )
}
