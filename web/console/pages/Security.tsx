import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Page, Panel } from '../../shared/Page.tsx'
import { Password } from '../../shared/Password.tsx'
import { Totp } from '../../shared/Totp.tsx'
import { act, queryClient, sessionQuery } from '../calls.ts'
import { Health, Shown } from '../Shown.tsx'
import { ApprovalKeyPanel } from './ApprovalKeyPanel.tsx'

const again = () => queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })

/** How an operator signs in. Who is one is said at the command line. */
export function Security() {
  const session = useQuery(sessionQuery)
  return (
    <Page title="Security">
      <Shown query={session}>
        {(data) => (
          <>
            <Panel title="Second step">
              <Stack>
                {!data.totp_enabled && (
                  <Health ok={false}>
                    Until an app is set up you can look, and change nothing.
                  </Health>
                )}
                <Totp session={data} path="/operator/v1/session/totp" again={again} />
              </Stack>
            </Panel>
            <Password
              email={data.email}
              change={(passwords) => act('/session/password', passwords)}
            />
            <ApprovalKeyPanel email={data.email} />
            <Panel title="Other operators">
              <Text size="sm">
                They are let in and taken out on the machine of a node:{' '}
                <code>npx ergon operators list</code>, <code>add</code>, <code>remove</code>.
              </Text>
            </Panel>
          </>
        )}
      </Shown>
    </Page>
  )
}
