import { Button, Group, NativeSelect, Text } from '@mantine/core'
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
  const now = useNow(1_000)
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
      <Group gap="xs" wrap="wrap">
        <Text size="sm" fw={600}>
          Sandbox
        </Text>
        <Text size="sm" component="time" className="amount">
          {new Date(now).toISOString().slice(0, 19).replace('T', ' ')} UTC
        </Text>
        {STEPS.map(({ seconds, name }) => (
          <Button
            key={name}
            size="compact-xs"
            variant="default"
            disabled={busy}
            onClick={() => advance.mutate(seconds)}
          >
            {name}
          </Button>
        ))}
        <Button
          size="compact-xs"
          variant="default"
          disabled={busy || !account}
          onClick={() => faucet.mutate(account!.deposit_address)}
        >
          Faucet: 100 TRX
        </Button>
        <ProviderFaults />
        <Text size="sm" aria-live="polite">
          {busy ? 'Working …' : faucet.isSuccess ? 'Sent; it arrives with the next block.' : ''}
          {error ? messageOf(error) : ''}
        </Text>
      </Group>
    </section>
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
        <NativeSelect
          key={name}
          size="xs"
          aria-label={`How ${name} behaves`}
          value={behaviour}
          onChange={(event) => change.mutate({ name, behaviour: event.target.value })}
          data={Object.entries(BEHAVIOURS).map(([value, words]) => ({
            value,
            label: `${name}: ${words}`,
          }))}
        />
      ))}
      {change.error && <Text size="sm">{messageOf(change.error)}</Text>}
    </details>
  )
}
