import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'

export function Page({
  title,
  action,
  children,
}: {
  title: string
  action?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Ergon`
  }, [title])
  return (
    <div className="page">
      <div className="page-head">
        <h1>{title}</h1>
        {action}
      </div>
      {children}
    </div>
  )
}

export function Panel({
  title,
  action,
  children,
}: {
  title?: string
  action?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="card" aria-label={title}>
      {(title || action) && (
        <div className="card-head">
          <h2>{title}</h2>
          {action}
        </div>
      )}
      {children}
    </section>
  )
}

/** What the page will show, why it is useful, and the button that starts it. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string
  children: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="empty">
      <b>{title}</b>
      <p className="soft">{children}</p>
      {action && <div>{action}</div>}
    </div>
  )
}

type TroubleProps = { error: unknown; retry?: () => void; action?: ReactNode }

// Loaded when something has failed.
const TroubleBox = lazy(() => import('./TroubleBox.tsx'))

/** An error message, with a button to go on. */
export function Trouble(props: TroubleProps) {
  if (!props.error) return null
  return (
    <Suspense>
      <TroubleBox {...props} />
    </Suspense>
  )
}

/** A link that looks like a button. */
export function ButtonLink({
  to,
  look = '',
  children,
}: {
  to: string
  look?: string
  children: ReactNode
}) {
  return (
    <Link to={to} className={`button ${look}`}>
      {children}
    </Link>
  )
}

/** In the place of something that is loading. */
export function Skeleton({ height }: { height: number }) {
  return <div className="skeleton" style={{ height }} />
}

export function RowsSkeleton({ rows = 5 }: { rows?: number }) {
  return (
    <div className="rows-skeleton" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars that never move
        <Skeleton key={row} height={20} />
      ))}
    </div>
  )
}
