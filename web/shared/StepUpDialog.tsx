import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from './api.ts'
import { Trouble } from './Page.tsx'

/** Asks for a fresh code and sends it; `done` is told whether one was accepted. */
export default function StepUpDialog({ path, done }: { path: string; done(given: boolean): void }) {
  const [code, setCode] = useState('')
  const show = useMutation({
    mutationFn: () => request('POST', path, { code: code.trim() }),
    onSuccess: () => done(true),
  })
  return (
    <Modal
      opened
      onClose={() => done(false)}
      title="Your code, please"
      closeButtonProps={{ 'aria-label': 'Close' }}
      zIndex={400}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          show.mutate()
        }}
      >
        <Stack>
          <Text size="sm">
            Your last code is more than ten minutes old. Enter the one that your authenticator app
            shows now, or a backup code.
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
    </Modal>
  )
}
