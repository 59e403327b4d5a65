import { Link, Outlet } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { AccountMenu } from './AccountMenu.tsx'
import { Brand } from './Brand.tsx'
import { type Icon, IconCross, IconMenu } from './icons.tsx'
import { useSteps } from './OneByOne.tsx'
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

/** What is painted after the header, in this order. */
const CONTENT = 1
const PAGES = 2

/** What surrounds every page of the workspace and of the console. */
export function Frame({ name, links, aside, above, who, signOut }: Props) {
  const [opened, setOpened] = useState(false)
  // The page before the links, which a phone hides.
  const step = useSteps(PAGES)
  return (
    <div className={opened ? 'frame opened' : 'frame'}>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <button
          type="button"
          className="menu-button burger"
          aria-expanded={opened}
          aria-label={opened ? 'Close the menu' : 'Open the menu'}
          onClick={() => setOpened(!opened)}
        >
          {opened ? <IconCross size={20} /> : <IconMenu size={20} />}
        </button>
        <Brand name={name} />
        <div className="aside">
          {aside}
          <AccountMenu who={who} signOut={signOut} />
        </div>
      </header>
      <nav aria-label="Pages">
        {step >= PAGES &&
          links.map(({ to, name: page, Icon }) => (
            <Link
              key={to}
              to={to}
              className="nav-link"
              onClick={() => setOpened(false)}
              activeOptions={{ exact: to === '/' }}
            >
              <Icon size={20} />
              {page}
            </Link>
          ))}
      </nav>
      <main id="content">
        <Unreachable />
        {above}
        <div className="content">
          {step >= CONTENT ? <Outlet /> : <i hidden aria-busy="true" />}
        </div>
      </main>
    </div>
  )
}
