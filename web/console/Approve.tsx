import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { signText } from './approvalKey.ts'
import { approvalKeyQuery, sessionQuery } from './calls.ts'
import { Deed } from './Deed.tsx'

const SECURITY: string = '/security'

/** What every approval names beside its subject. */
export type ApprovalGround = { chain: string; hot_address: string; ends_at: string }

type Props<T> = {
  path: string
  /** A word for what is approved. */
  what: string
  subject: T
  approval: ApprovalGround
  textOf(subject: T, approval: ApprovalGround): string
  /** What will happen, above the text. */
  children(shown: T): ReactNode
  /** What to know besides, below it. */
  below?(shown: T): ReactNode
}

/** Shows exactly what is signed, and signs exactly that. */
export function Approve<T>({ path, what, subject, approval, textOf, children, below }: Props<T>) {
  const { data: session } = useQuery(sessionQuery)
  const { data: key } = useQuery(approvalKeyQuery(session?.email ?? ''))
  // Fixed when the dialog opens: the list is polled and may change while the operator reads.
  const [shown, show] = useState({ subject, approval })
  const { ends_at } = shown.approval
  const text = textOf(shown.subject, shown.approval)
  const isOld = text !== textOf(subject, { ...approval, ends_at })
  async function signed() {
    if (!key) throw new Error('This browser has no approval key.')
    return { key: key.publicKey, ends_at, signature: await signText(key, text) }
  }
  return (
    <Deed
      name="Approve"
      path={path}
      onOpen={() => show({ subject, approval })}
      prepare={signed}
      isReady={Boolean(key) && !isOld}
    >
      {children(shown.subject)} Your key signs this text:
      <pre className="secret">{text}</pre>
      {below?.(shown.subject)}
      {isOld && (
        <Text size="sm" c="red.8">
          The {what} has changed since you opened this. Close it and read it again.
        </Text>
      )}
      {key === null && (
        <Text size="sm" c="red.8">
          This browser has no approval key of yours: make one on the page{' '}
          <Link to={SECURITY}>Security</Link>.
        </Text>
      )}
    </Deed>
  )
}
