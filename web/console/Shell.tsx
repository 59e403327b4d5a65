import { useQuery } from '@tanstack/react-query'
import { Frame } from '../shared/Frame.tsx'
import {
  IconBan,
  IconBook,
  IconGauge,
  IconList,
  IconLog,
  IconMessage,
  IconPeople,
  IconPerson,
  IconPower,
  IconPrice,
  IconQuestion,
  IconRanking,
  IconRepeat,
  IconShield,
  IconShop,
  IconVault,
} from '../shared/icons.tsx'
import { act, sessionQuery } from './calls.ts'
import { Find } from './Find.tsx'

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
  { to: '/announcements', name: 'Announcements', Icon: IconMessage },
  { to: '/treasury', name: 'Treasury', Icon: IconVault },
  { to: '/books', name: 'Books', Icon: IconBook },
  { to: '/scorecard', name: 'Scorecard', Icon: IconRanking },
  { to: '/audit', name: 'Audit log', Icon: IconLog },
  { to: '/team', name: 'Team', Icon: IconPerson },
  { to: '/security', name: 'Security', Icon: IconShield },
]

export function Shell() {
  const { data: session } = useQuery(sessionQuery)
  const signOut = async () => {
    await act('/session/sign-out').catch(() => {})
    location.assign('/operator/sign-in')
  }
  return (
    <Frame
      name="Ergon console"
      links={LINKS}
      aside={<Find />}
      who={session?.email ?? ''}
      signOut={signOut}
    />
  )
}
