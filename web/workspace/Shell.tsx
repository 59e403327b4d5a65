import { ActionIcon, AppShell, Burger, Group, ScrollArea, Text } from '@mantine/core'
import { useDisclosure, useReducedMotion } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { post } from '../shared/api.ts'
import {
  IconBolt,
  IconCoins,
  IconDownload,
  IconHome,
  IconKey,
  IconList,
  IconLog,
  IconMessage,
  IconRepeat,
  IconSettings,
  IconShield,
  IconShop,
  IconSignOut,
  IconWebhook,
} from '../shared/icons.tsx'
import { Trx } from '../shared/Trx.tsx'
import { useLive } from './live.ts'
import { accountQuery, queryClient, sessionQuery } from './queries.ts'
import { SandboxBar } from './SandboxBar.tsx'

const LINKS = [
  { to: '/', name: 'Overview', Icon: IconHome },
  { to: '/buy', name: 'Buy Energy', Icon: IconBolt },
  { to: '/orders', name: 'Orders', Icon: IconList },
  { to: '/ledger', name: 'Ledger', Icon: IconCoins },
  { to: '/deposits', name: 'Deposits', Icon: IconDownload },
  { to: '/autoenergy', name: 'AutoEnergy', Icon: IconRepeat },
  { to: '/agent', name: 'Agent', Icon: IconShop },
  { to: '/webhooks', name: 'Webhooks', Icon: IconWebhook },
  { to: '/chat', name: 'Chat', Icon: IconMessage },
  { to: '/keys', name: 'API keys', Icon: IconKey },
  { to: '/requests', name: 'API requests', Icon: IconLog },
  { to: '/settings', name: 'Settings', Icon: IconSettings },
  { to: '/security', name: 'Security', Icon: IconShield },
] as const

const TRANSITION_MS = 150

export function Shell() {
  useLive()
  const still = useReducedMotion()
  const [opened, menu] = useDisclosure(false)
  const { data: account } = useQuery(accountQuery)
  const { data: session } = useQuery(sessionQuery)
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'xl' }}
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
              <Text fw={700}>Ergon</Text>
            </Group>
          </Group>
          <Group gap="sm" wrap="nowrap">
            {account && (
              <Text size="sm" component="span" aria-live="polite">
                <Trx value={account.balance_trx} decimals={2} unit />
              </Text>
            )}
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
        {session?.sandbox && <SandboxBar />}
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
        await post('/session/sign-out')
        queryClient.clear()
        await navigate({ to: '/sign-in' })
      }}
    >
      <IconSignOut size={20} />
    </ActionIcon>
  )
}
