import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Page, Panel } from '../../shared/Page.tsx'
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
              <SecondStep email={data.email} hasApp={data.totp_enabled} />
            </Panel>
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

/** Set up on the command line only: with the password alone a thief could set up their own app. */
function SecondStep({ email, hasApp }: { email: string; hasApp: boolean }) {
  const command = <code>npx ergon operators totp {email}</code>
  return (
    <Stack align="flex-start">
      <Health ok={hasApp}>
        {hasApp ? 'Your authenticator app is set up.' : 'Without an app you change nothing.'}
      </Health>
      <Text size="sm">
        {hasApp
          ? 'A code is asked for at the sign-in, and before a change if the last one is ten minutes old. If you lose the app, ask for '
          : 'Ask for '}
        {command} on a machine of the service.
      </Text>
    </Stack>
  )
}
