import type { getSettings, Reply } from '@ergon/contract'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Address } from '../../shared/Address.tsx'
import { patch } from '../../shared/api.ts'
import { Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import Theme from '../../shared/Theme.tsx'
import { Trx } from '../../shared/Trx.tsx'
import { queryClient, sessionQuery, settingsQuery } from '../queries.ts'
import { OwnLimits } from './OwnLimits.tsx'
import { Particulars } from './Particulars.tsx'

export function Settings() {
  const { data: session } = useQuery(sessionQuery)
  const { data: settings } = useQuery(settingsQuery)
  return (
    <Page title="Settings">
      <LowBalance />
      <OwnLimits />
      <Particulars />
      <Panel title="Referral">
        {session ? (
          <Stack gap="xs">
            <Text>
              New clients who sign up through this link are recorded as your referrals.{' '}
              {settings && <Commission of={settings.referral} />}
            </Text>
            <Address value={`${location.origin}/sign-up?ref=${session.referral_code}`} whole />
          </Stack>
        ) : (
          <RowsSkeleton rows={2} />
        )}
      </Panel>
      <Panel title="Appearance">
        <Stack maw={400}>
          <Theme />
        </Stack>
      </Panel>
    </Page>
  )
}

function Commission({ of }: { of: Reply<typeof getSettings>['referral'] }) {
  const { basis_points, orders, earned_trx } = of
  return (
    <>
      {basis_points > 0
        ? `You get ${basis_points / 100} % of each of their orders that is delivered. `
        : 'There is no commission now. '}
      {orders > 0 && (
        <>
          So far <Trx value={earned_trx} unit /> for {orders} orders, as adjustments in your ledger.
        </>
      )}
    </>
  )
}

function LowBalance() {
  const { data, error, refetch } = useQuery(settingsQuery)
  const [typed, setTyped] = useState('')
  useEffect(() => setTyped(data?.low_balance_trx ?? ''), [data])
  const save = useMutation({
    mutationFn: (low_balance_trx: string | null) => patch('/settings', { low_balance_trx }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey }),
  })
  return (
    <Panel title="Low balance">
      {error && <Trouble error={error} retry={refetch} />}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(typed.trim() || null)
        }}
      >
        <Stack maw={440}>
          <TextInput
            label="Warn me below"
            description="Empty: never. The overview says so, and webhooks and chats that want it are notified, once each time."
            placeholder="25"
            inputMode="decimal"
            rightSection={<Text size="sm">TRX</Text>}
            rightSectionWidth={48}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            disabled={!data}
          />
          <Trouble error={save.error} />
          <Group>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
            <Text size="sm" aria-live="polite">
              {save.isSuccess ? 'Saved.' : ''}
            </Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
