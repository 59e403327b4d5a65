import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { request, whenCodeIsRequired } from './api.ts'
import { Trouble } from './Page.tsx'

/** Opens when the server asks for a fresh code; `path` is where the code is sent. */
export function StepUp({ path }: { path: string }) {
  const [opened, setOpened] = useState(false)
  const [code, setCode] = useState('')
  /** Waiting calls: one code answers all of them. */
  const waiting = useRef<((given: boolean) => void)[]>([])
  const close = (given: boolean) => {
    setOpened(false)
    setCode('')
    for (const resolve of waiting.current.splice(0)) resolve(given)
  }
  const show = useMutation({
    mutationFn: () => request('POST', path, { code: code.trim() }),
    onSuccess: () => close(true),
  })
  const { reset } = show
  useEffect(() => {
    whenCodeIsRequired(() => {
      reset()
      setOpened(true)
      return new Promise((resolve) => waiting.current.push(resolve))
    })
    return () => whenCodeIsRequired(undefined)
  }, [reset])
  return (
    <Modal
      opened={opened}
      onClose={() => close(false)}
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
            <Button variant="default" onClick={() => close(false)}>
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
