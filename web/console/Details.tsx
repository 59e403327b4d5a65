import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  title: string
  /** Of what is open; empty: nothing is. */
  id: string
  close(): void
  children: ReactNode
}

/** One of a table's rows, beside it. */
export function Details({ title, id, close, children }: Props) {
  return (
    <Drawer
      opened={id !== ''}
      onClose={close}
      position="right"
      size="lg"
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {id && children}
    </Drawer>
  )
}
