import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { post } from '../shared/api.ts'
import { Frame } from '../shared/Frame.tsx'
import {
  IconBolt,
  IconBook,
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
  IconWebhook,
} from '../shared/icons.tsx'
import { pause } from '../shared/pause.ts'
import { Trx } from '../shared/Trx.tsx'
import { useLive } from './live.ts'
import { accountQuery, announcementsQuery, sessionQuery, termsQuery } from './queries.ts'

// In production nobody loads it.
const SandboxBar = lazy(() => pause().then(() => import('./SandboxBar.tsx')))
// Loaded where something is announced.
const Announcements = lazy(() => import('./Announcements.tsx'))
// Loaded by a client who is blocked.
const Blocked = lazy(() => import('./Blocked.tsx'))

// Loaded by a client who is asked to accept something.
const NewTerms = lazy(() => import('./NewTerms.tsx'))

const LINKS = [
  { to: '/overview', name: 'Overview', Icon: IconHome },
  { to: '/buy', name: 'Buy Energy', Icon: IconBolt },
  { to: '/orders', name: 'Orders', Icon: IconList },
  { to: '/ledger', name: 'Ledger', Icon: IconCoins },
  { to: '/invoices', name: 'Invoices', Icon: IconBook },
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

export function Shell() {
  useLive()
  const { data: account } = useQuery(accountQuery)
  const { data: session } = useQuery(sessionQuery)
  const { data: told } = useQuery(announcementsQuery)
  const { data: terms } = useQuery(termsQuery)
  const asked = terms?.documents.filter((one) => one.is_asked) ?? []
  const signOut = async () => {
    await post('/session/sign-out')
    location.assign('/sign-in')
  }
  return (
    <Frame
      name="Ergon"
      links={LINKS}
      aside={
        account && (
          <span className="line small" aria-live="polite">
            <Trx value={account.balance_trx} unit />
          </span>
        )
      }
      above={
        <>
          {session?.sandbox && (
            <Suspense fallback={<div className="sandbox-bar" />}>
              <SandboxBar />
            </Suspense>
          )}
          {told && told.announcements.length > 0 && (
            <Suspense>
              <Announcements shown={told.announcements} />
            </Suspense>
          )}
          {account?.blocked && (
            <Suspense>
              <Blocked {...account.blocked} />
            </Suspense>
          )}
          {asked.length > 0 && (
            <Suspense>
              <NewTerms documents={asked} />
            </Suspense>
          )}
        </>
      }
      who={session?.email || session?.name || 'your wallet'}
      signOut={signOut}
    />
  )
}
