import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Trouble } from '../shared/Page.tsx'
import { act } from './calls.ts'
import { useMay } from './useMay.ts'

type Props = {
  /** The text of the button and the title of the dialog. */
  name: string
  /** Distinguishes it from others of the same name, for screen readers. */
  of?: string
  path: string
  body?: Record<string, unknown>
  /** Makes something on confirmation, such as a signature, which is sent with the body. */
  prepare?(): Promise<Record<string, unknown>>
  onOpen?(): void
  /** False while something is missing that the dialog names; it cannot be confirmed then. */
  isReady?: boolean
  /** What will change. */
  children: ReactNode
  danger?: boolean
  disabled?: boolean
  /** Called with the answer. */
  onDone?(done: unknown): void
}

/** A change by an operator: the dialog says what it does, and asks for the reason. */
export function Deed(props: Props) {
  const { name, of, path, body = {}, children, danger, onDone, onOpen, prepare } = props
  const { isReady = true } = props
  const may = useMay(path)
  const disabled = props.disabled || !may
  const [opened, dialog] = useDisclosure(false)
  const [why, setWhy] = useState('')
  const deed = useMutation({
    mutationFn: async () => act(path, { ...body, ...(await prepare?.()), why }),
    onSuccess(done: unknown) {
      dialog.close()
      setWhy('')
      onDone?.(done)
    },
  })
  return (
    <>
      <Button
        size="xs"
        variant="default"
        {...(disabled && { disabled })}
        {...(!may && { title: 'Your role may not do this. Ask an administrator.' })}
        onClick={() => {
          // Clear the last refusal: it does not apply to this attempt.
          deed.reset()
          onOpen?.()
          dialog.open()
        }}
        aria-label={of ? `${name} ${of}` : name}
      >
        {name}
      </Button>
      <Modal
        opened={opened}
        onClose={dialog.close}
        title={of ? `${name} ${of}` : name}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault()
            deed.mutate()
          }}
        >
          <Stack>
            <Text size="sm" component="div" className="deed-text">
              {children}
            </Text>
            <Textarea
              label="Why"
              description="Kept in the log with your name."
              required
              minLength={3}
              maxLength={500}
              value={why}
              onChange={(event) => setWhy(event.currentTarget.value)}
              data-autofocus
            />
            <Trouble error={deed.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={dialog.close}>
                Cancel
              </Button>
              <Button
                type="submit"
                {...(danger && { color: 'red.8' })}
                loading={deed.isPending}
                disabled={!isReady || why.trim().length < 3}
              >
                {name}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
