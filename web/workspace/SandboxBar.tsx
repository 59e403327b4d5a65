import { useMutation, useQuery } from '@tanstack/react-query'
import { request } from '../shared/api.ts'
import { messageOf } from '../shared/messages.ts'
import { useNow } from '../shared/useNow.ts'
import { accountQuery, providersQuery, queryClient } from './queries.ts'

const FAUCET_SUN = 100_000_000
const STEPS = [
  { seconds: 120, name: '+2 min' },
  { seconds: 3_600, name: '+1 h' },
  { seconds: 86_400, name: '+1 day' },
]
const BEHAVIOURS: Record<string, string> = {
  ok: 'works',
  fail: 'refuses orders',
  timeout_after_accept: 'accepts, does not answer',
  timeout_before_accept: 'does not answer',
  lost_delegation: 'delegation gets lost',
  partial: 'delivers a part',
  late: 'delivers late',
  taken_back: 'takes it back early',
  down: 'cannot be reached',
}

/** The test clock, a faucet and the provider faults: only in the sandbox. */
export default function SandboxBar() {
  const { data: account } = useQuery(accountQuery)
  const everything = () => queryClient.invalidateQueries()
  const advance = useMutation({
    mutationFn: (advance_seconds: number) => request('POST', '/sandbox/clock', { advance_seconds }),
    onSuccess: everything,
  })
  const faucet = useMutation({
    mutationFn: (to: string) => request('POST', '/sandbox/faucet', { to, amount_sun: FAUCET_SUN }),
    onSuccess: everything,
  })
  const busy = advance.isPending || faucet.isPending
  const error = advance.error ?? faucet.error
  return (
    <section className="sandbox-bar" aria-label="Sandbox">
      <div className="tools">
        <b>Sandbox</b>
        <Clock />
        {STEPS.map(({ seconds, name }) => (
          <button
            key={name}
            type="button"
            className="button tiny"
            disabled={busy}
            onClick={() => advance.mutate(seconds)}
          >
            {name}
          </button>
        ))}
        <button
          type="button"
          className="button tiny"
          disabled={busy || !account}
          onClick={() => faucet.mutate(account!.deposit_address)}
        >
          Faucet: 100 TRX
        </button>
        <ProviderFaults />
        <span aria-live="polite">
          {busy ? 'Working …' : faucet.isSuccess ? 'Sent; it arrives with the next block.' : ''}
          {error ? messageOf(error) : ''}
        </span>
      </div>
    </section>
  )
}

/** By itself: it is painted each second. */
function Clock() {
  const now = useNow(1_000)
  return (
    <time className="amount">{new Date(now).toISOString().slice(0, 19).replace('T', ' ')} UTC</time>
  )
}

function ProviderFaults() {
  const { data } = useQuery(providersQuery)
  const change = useMutation({
    mutationFn: ({ name, behaviour }: { name: string; behaviour: string }) =>
      request('POST', `/sandbox/providers/${name}`, { behaviour }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: providersQuery.queryKey }),
  })
  const broken = data?.providers.filter(({ behaviour }) => behaviour !== 'ok').length ?? 0
  return (
    <details className="faults">
      <summary>Providers{broken > 0 && `: ${broken} disturbed`}</summary>
      {data?.providers.map(({ name, behaviour }) => (
        <select
          key={name}
          aria-label={`How ${name} behaves`}
          value={behaviour}
          onChange={(event) => change.mutate({ name, behaviour: event.target.value })}
        >
          {Object.entries(BEHAVIOURS).map(([value, words]) => (
            <option key={value} value={value}>
              {name}: {words}
            </option>
          ))}
        </select>
      ))}
      {change.error && <p className="line">{messageOf(change.error)}</p>}
    </details>
  )
}
