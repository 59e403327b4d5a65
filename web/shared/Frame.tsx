import { AppShell, Burger, Group, ScrollArea } from '@mantine/core'
import { useDisclosure, useReducedMotion } from '@mantine/hooks'
import { Link, Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { AccountMenu } from './AccountMenu.tsx'
import { Brand } from './Brand.tsx'
import type { Icon } from './icons.tsx'
import { Unreachable } from './Unreachable.tsx'

type Props = {
  name: string
  links: readonly { to: string; name: string; Icon: Icon }[]
  /** Beside the account menu, such as the balance. */
  aside?: ReactNode
  /** Above the page, such as the sandbox's bar. */
  above?: ReactNode
  who: string
  signOut(): Promise<void>
}

const TRANSITION_MS = 150

/** What surrounds every page of the workspace and of the console. */
export function Frame({ name, links, aside, above, who, signOut }: Props) {
  const still = useReducedMotion()
  const [opened, menu] = useDisclosure(false)
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 224, breakpoint: 'sm', collapsed: { mobile: !opened } }}
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
            <Brand name={name} />
          </Group>
          <Group gap="sm" wrap="nowrap">
            {aside}
            <AccountMenu who={who} signOut={signOut} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <ScrollArea>
          {links.map(({ to, name: page, Icon }) => (
            <Link
              key={to}
              to={to}
              className="nav-link"
              onClick={menu.close}
              activeOptions={{ exact: to === '/' }}
            >
              <Icon size={20} />
              {page}
            </Link>
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <Unreachable />
        {above}
        <div className="content">
          <Outlet />
        </div>
      </AppShell.Main>
    </AppShell>
  )
}
