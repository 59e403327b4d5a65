import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Page, Panel } from '../../shared/Page.tsx'
import { Passkeys } from '../../shared/Passkeys.tsx'
import { Password } from '../../shared/Password.tsx'
import { act, sessionQuery } from '../calls.ts'
import { Health, Shown } from '../Shown.tsx'
import { ApprovalKeyPanel } from './ApprovalKeyPanel.tsx'

/** How an operator signs in. Operators are added on the command line. */
export function Security() {
  const session = useQuery(sessionQuery)
  return (
    <Page title="Security">
      <Shown query={session}>
        {(data) => (
          <>
            <Panel title="Second step">
              <SecondStep
                email={data.email}
                hasApp={data.totp_enabled}
                hasPasskey={data.passkeys > 0}
              />
            </Panel>
            <Passkeys
              base="/operator/v1"
              hasApp={data.totp_enabled}
              hasPassword={false}
              again={session.refetch}
            />
            <Password
              email={data.email}
              change={(passwords) => act('/session/password', passwords)}
            />
            <ApprovalKeyPanel email={data.email} />
            <Panel title="Your role">
              <Text size="sm">
                {data.role}. The page Team has the others, and who may change roles.
              </Text>
            </Panel>
          </>
        )}
      </Shown>
    </Page>
  )
}

/** The first one is set up on the command line only: with the password alone a thief could set up their own. */
function SecondStep(props: { email: string; hasApp: boolean; hasPasskey: boolean }) {
  const { email, hasApp, hasPasskey } = props
  const command = <code>npx ergon operators totp {email}</code>
  const isSet = hasApp || hasPasskey
  return (
    <Stack align="flex-start">
      <Health ok={isSet}>
        {hasApp
          ? 'Your authenticator app is set up.'
          : isSet
            ? 'You have a passkey and no authenticator app.'
            : 'Without an app or a passkey you change nothing.'}
      </Health>
      <Text size="sm">
        {isSet
          ? 'A code or a passkey is asked for at the sign-in, and before a change if the last one is ten minutes old. If you lose the app, ask for '
          : 'Ask for '}
        {command} on a machine of the service.
      </Text>
    </Stack>
  )
}
