import { Alert, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { When } from '../../shared/When.tsx'
import { Deed } from '../Deed.tsx'

type Props = { id: string; now: { reason: string; since: string } | null }

/** Whether the account is blocked, and the way in and out. */
export function Block({ id, now }: Props) {
  const [reason, setReason] = useState('')
  const words = reason.trim()
  return (
    <>
      {now && (
        <Alert color="red" title="Blocked">
          {now.reason} Since <When at={now.since} />.
        </Alert>
      )}
      <Group align="flex-end">
        <TextInput
          label={now ? 'Another reason for the client' : 'Reason for the client'}
          description="A sentence that the client reads."
          placeholder="We need a document of you."
          maxLength={300}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Deed
          name={now ? 'Change reason' : 'Block'}
          path={`/accounts/${id}/block`}
          body={{ reason: words }}
          disabled={words.length < 3}
          danger
          onDone={() => setReason('')}
        >
          Nothing more is sold to this account: purchases, agent sales and AutoEnergy stop. Its
          AutoEnergy subscriptions are closed. Orders under way are delivered or refunded, deposits
          are credited, and it can read everything. It reads: {words}
        </Deed>
        {now && (
          <Deed name="Unblock" path={`/accounts/${id}/unblock`}>
            It can buy again at once. Its pay pages sell again; closed AutoEnergy subscriptions stay
            closed until it reactivates them.
          </Deed>
        )}
      </Group>
    </>
  )
}
