import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Panel, Trouble } from '../../shared/Page.tsx'
import { bringApprovalKey, forgetApprovalKey, makeApprovalKey } from '../approvalKey.ts'
import { approvalKeyQuery, queryClient } from '../calls.ts'

/** The key with which this operator approves payouts, in this browser. */
export function ApprovalKeyPanel({ email }: { email: string }) {
  const query = approvalKeyQuery(email)
  const { data: key } = useQuery(query)
  const again = () => queryClient.invalidateQueries({ queryKey: query.queryKey })
  return (
    <Panel title="Approval key">
      {key ? <Known email={email} publicKey={key.publicKey} again={again} /> : null}
      {key === null ? <Missing email={email} again={again} /> : null}
    </Panel>
  )
}

type Props = { email: string; again(): Promise<void> }

function Known({ email, publicKey, again }: Props & { publicKey: string }) {
  const forget = useMutation({ mutationFn: () => forgetApprovalKey(email), onSuccess: again })
  return (
    <Stack>
      <Text size="sm">
        This browser approves payouts as you. The signer has to know the public key; on its machine:
      </Text>
      <span className="secret">
        npx ergon signer keys add {email}={publicKey}
      </span>
      <Trouble error={forget.error} />
      <Group>
        <Button variant="default" onClick={() => forget.mutate()} loading={forget.isPending}>
          Forget this key
        </Button>
      </Group>
    </Stack>
  )
}

function Missing({ email, again }: Props) {
  const [given, setGiven] = useState('')
  const make = useMutation({ mutationFn: () => makeApprovalKey(email), onSuccess: again })
  const bring = useMutation({ mutationFn: () => bringApprovalKey(email, given), onSuccess: again })
  return (
    <Stack>
      <Text size="sm">
        Payouts need approvals that the signer can verify. A key made here cannot leave this
        browser: clear its data and the key is lost, and a new one takes effect after 24 hours.
      </Text>
      <Group>
        <Button onClick={() => make.mutate()} loading={make.isPending}>
          Make a key
        </Button>
      </Group>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          bring.mutate()
        }}
      >
        <Group align="flex-end">
          <PasswordInput
            label="Or bring a private key"
            description="64 hex digits, such as those in sandbox.json."
            value={given}
            onChange={(event) => setGiven(event.currentTarget.value.trim())}
            autoComplete="off"
          />
          <Button type="submit" variant="default" loading={bring.isPending} disabled={!given}>
            Keep it here
          </Button>
        </Group>
      </form>
      <Trouble error={make.error ?? bring.error} />
    </Stack>
  )
}
