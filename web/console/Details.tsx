import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  title: string
  /** Id of the expanded row, or empty. */
  id: string
  close(): void
  children: ReactNode
}

/** The details of a table's row, beside the table. */
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
