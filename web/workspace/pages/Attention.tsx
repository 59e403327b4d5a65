import { useQuery } from '@tanstack/react-query'
import { useNow } from '../../shared/useNow.ts'
import { attentionOf } from '../attention.ts'
import {
  accountQuery,
  agentConfigsQuery,
  settingsQuery,
  subscriptionsQuery,
  webhooksQuery,
} from '../queries.ts'
import { AttentionRow } from './AttentionRow.tsx'

const SHOWN = 5
const MINUTE_MS = 60_000

/** Items that need attention, each with its remedy. */
export function Attention() {
  const { data: account } = useQuery(accountQuery)
  const { data: settings } = useQuery(settingsQuery)
  const { data: webhooks } = useQuery(webhooksQuery)
  const { data: agent } = useQuery(agentConfigsQuery)
  const { data: subscriptions } = useQuery(subscriptionsQuery)
  const nowMs = useNow(MINUTE_MS)
  const items = attentionOf({
    nowMs,
    balanceTrx: account?.balance_trx,
    lowBalanceTrx: settings?.low_balance_trx,
    webhooks: webhooks?.webhooks,
    configs: agent?.items,
    subscriptions,
  })
  if (items.length === 0) return null
  return (
    <section className="column wide" aria-label="Needs attention">
      {items.slice(0, SHOWN).map((item) => (
        <AttentionRow key={item.key} item={item} />
      ))}
      {items.length > SHOWN && <p className="line small soft">And {items.length - SHOWN} more.</p>}
    </section>
  )
}
