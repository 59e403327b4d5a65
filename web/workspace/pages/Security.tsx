import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Address } from '../../shared/Address.tsx'
import { post, remove } from '../../shared/api.ts'
import { browserWords } from '../../shared/browserWords.ts'
import { Page, Panel, RowsSkeleton, Trouble } from '../../shared/Page.tsx'
import { Passkeys } from '../../shared/Passkeys.tsx'
import { Password } from '../../shared/Password.tsx'
import { When } from '../../shared/When.tsx'
import { signWithWallet, walletWords } from '../../shared/wallet.ts'
import { accountQuery, queryClient, sessionQuery, sessionsQuery } from '../queries.ts'
import { Totp } from './Totp.tsx'

const againSession = () => queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })

/** A passkey that goes ends the other sessions. */
const againAll = () =>
  Promise.all([againSession(), queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })])

export function Security() {
  const { data: session } = useQuery(sessionQuery)
  return (
    <Page title="Security">
      <Panel title="Authenticator app">
        {session ? <Totp session={session} again={againSession} /> : <RowsSkeleton rows={2} />}
      </Panel>
      {session && (
        <Passkeys
          base="/app/v1"
          hasApp={session.totp_enabled}
          hasPassword={session.email !== ''}
          again={againAll}
        />
      )}
      {session?.email && <Password email={session.email} change={changePassword} />}
      <Wallet />
      <Sessions />
    </Page>
  )
}

async function changePassword(passwords: unknown) {
  await post('/session/password', passwords)
  void queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
}

function Wallet() {
  const { data } = useQuery(accountQuery)
  const again = () => queryClient.invalidateQueries({ queryKey: accountQuery.queryKey })
  const link = useMutation({
    mutationFn: () => signWithWallet({ challenge: '/wallet/challenge', answer: '/wallet' }),
    onSuccess: again,
  })
  const unlink = useMutation({ mutationFn: () => remove('/wallet'), onSuccess: again })
  const error = link.error ?? unlink.error
  return (
    <Panel title="Wallet">
      <Stack align="flex-start">
        {data?.wallet_address ? (
          <>
            <Address value={data.wallet_address} whole />
            <Text size="sm" c="dimmed">
              You can sign in with it. Deposits do not go there.
            </Text>
            <Button variant="default" loading={unlink.isPending} onClick={() => unlink.mutate()}>
              Unlink
            </Button>
          </>
        ) : (
          <>
            <Text>Link your TRON wallet to sign in with its signature. Signing costs nothing.</Text>
            <Button variant="default" loading={link.isPending} onClick={() => link.mutate()}>
              Link TronLink
            </Button>
          </>
        )}
        {error && (
          <Alert color="red" variant="light" role="alert">
            {walletWords(error)}
          </Alert>
        )}
      </Stack>
    </Panel>
  )
}

function Sessions() {
  const { data, error, refetch } = useQuery(sessionsQuery)
  const end = useMutation({
    mutationFn: (id: string) => remove(`/sessions/${id}`),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  return (
    <Panel title="Where you are signed in">
      <Trouble error={error ?? end.error} retry={refetch} />
      {!data ? (
        <RowsSkeleton rows={2} />
      ) : (
        <div className="scroll">
          <table className="rows">
            <thead>
              <tr>
                <th>Browser</th>
                <th>Since</th>
                <th>
                  <span className="hidden">End</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.sessions.map((session) => (
                <tr key={session.id}>
                  <td className="wrap">{browserWords(session.user_agent)}</td>
                  <td>
                    <When at={session.created_at} />
                  </td>
                  <td className="right">
                    {session.current ? (
                      <Text size="sm" c="dimmed">
                        This one
                      </Text>
                    ) : (
                      <Button size="xs" variant="default" onClick={() => end.mutate(session.id)}>
                        End
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
