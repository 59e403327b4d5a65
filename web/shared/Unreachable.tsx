import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { isReached, whenReachChanges } from './api.ts'
import { Brand } from './Brand.tsx'
import { IconAlert } from './icons.tsx'
import { messageOf } from './messages.ts'

/** Says above a page that what it shows may be old, until an answer comes again. */
export function Unreachable() {
  const reached = useSyncExternalStore(whenReachChanges, isReached)
  return (
    <div role="alert">
      {!reached && (
        <p className="unreachable">
          <IconAlert size={18} />
          The service cannot be reached. What you see may be old; it is asked again by itself.
        </p>
      )}
    </div>
  )
}

/** In place of a page that could not be loaded. */
export function NotLoaded({ error }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <main className="alone">
      <Brand />
      <div className="page-head">
        <h1>The page could not be loaded</h1>
      </div>
      <p>{messageOf(error)}</p>
      <button type="button" className="button main" onClick={() => router.invalidate()}>
        Try again
      </button>
    </main>
  )
}
