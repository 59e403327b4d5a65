import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { request, type SecondStep } from './api.ts'
import { canPasskey } from './canPasskey.ts'
import { Trouble } from './Page.tsx'
import { passkeyWords, showPasskey } from './passkey.ts'

type Props = {
  path: string
  /** What this person has. */
  way: SecondStep
  done(given: boolean): void
}

/** Asks for a fresh code or a passkey and sends it; `done` is told whether one was accepted. */
export default function StepUpDialog({ path, way, done }: Props) {
  const hasPasskey = way !== 'code' && canPasskey()
  return (
    <Modal
      opened
      onClose={() => done(false)}
      title={way === 'passkey' ? 'Your passkey, please' : 'Your code, please'}
      closeButtonProps={{ 'aria-label': 'Close' }}
      zIndex={400}
    >
      <Stack>
        {hasPasskey && <ShowPasskey path={path} isOnly={way === 'passkey'} done={done} />}
        {way === 'passkey' && !hasPasskey && (
          <Text size="sm">
            Your second step is a passkey, and this browser shows none here. Open the page at the
            address where you added it.
          </Text>
        )}
        {way !== 'passkey' && <EnterCode path={path} isOnly={!hasPasskey} done={done} />}
        {way === 'passkey' && (
          <Group justify="flex-end">
            <Button variant="default" onClick={() => done(false)}>
              Cancel
            </Button>
          </Group>
        )}
      </Stack>
    </Modal>
  )
}

type Part = Pick<Props, 'path' | 'done'>

function ShowPasskey({ path, isOnly, done }: Part & { isOnly: boolean }) {
  const show = useMutation({
    mutationFn: () => showPasskey(path, { challenge: '/challenge', answer: '/passkey' }),
    onSuccess: () => done(true),
  })
  return (
    <>
      <Text size="sm">
        Your last {isOnly ? 'passkey' : 'code or passkey'} was shown more than ten minutes ago.
      </Text>
      <Button loading={show.isPending} onClick={() => show.mutate()} data-autofocus={isOnly}>
        Use your passkey
      </Button>
      {show.error && (
        <Alert color="red" variant="light" role="alert">
          {passkeyWords(show.error)}
        </Alert>
      )}
    </>
  )
}

function EnterCode({ path, isOnly, done }: Part & { isOnly: boolean }) {
  const [code, setCode] = useState('')
  const show = useMutation({
    mutationFn: () => request('POST', path, { code: code.trim() }),
    onSuccess: () => done(true),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        show.mutate()
      }}
    >
      <Stack>
        <Text size="sm">
          {isOnly && 'Your last code is more than ten minutes old. '}
          {isOnly ? 'Enter the one' : 'Or enter the code'} that your authenticator app shows now, or
          a backup code.
        </Text>
        <TextInput
          label="Code of your authenticator app"
          autoComplete="one-time-code"
          required
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          data-autofocus
        />
        <Trouble error={show.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => done(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={show.isPending}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
