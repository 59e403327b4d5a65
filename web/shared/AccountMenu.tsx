import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { IconAlert, IconBook, IconDone, IconPerson, IconSignOut } from './icons.tsx'

// Loaded when the menu is opened.
const Theme = lazy(() => import('./Theme.tsx'))

/** Who is signed in, the documentation, the state of the service, the theme, and the way out. */
export function AccountMenu({ who, signOut }: { who: string; signOut(): Promise<void> }) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <button type="button" className="menu-button" popoverTarget="account" aria-label="Account">
        <IconPerson size={20} />
      </button>
      <div
        id="account"
        popover="auto"
        className="menu"
        onToggle={({ newState }) => setOpened(newState === 'open')}
      >
        {opened && (
          <>
            <p className="who">
              Signed in as <b>{who}</b>
            </p>
            <a href="/docs">
              <IconBook size={18} />
              Documentation
            </a>
            <ServiceStatus />
            <Suspense>
              <Theme />
            </Suspense>
            <button type="button" onClick={signOut}>
              <IconSignOut size={18} />
              Sign out
            </button>
          </>
        )}
      </div>
    </>
  )
}

function ServiceStatus() {
  const { data, isPending } = useQuery({
    queryKey: ['readiness'],
    queryFn: async () => (await fetch('/readyz')).ok,
    staleTime: 10_000,
    retry: false,
  })
  if (isPending) return <p className="soft">Asking the service …</p>
  return (
    <a href="/status" className={data ? 'chip done' : 'chip bad'}>
      {data ? <IconDone size={18} /> : <IconAlert size={18} />}
      {data ? 'The service is working' : 'The service has a problem; we are working on it'}: status
    </a>
  )
}
