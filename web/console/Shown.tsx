import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { IconAlert, IconDone } from '../shared/icons.tsx'
import { Panel, RowsSkeleton, Trouble } from '../shared/Page.tsx'

type Reading<T> = { query: UseQueryResult<T>; children(data: T): ReactNode }

/** The data of a query; until then a skeleton, or the error. */
export function Shown<T>({ query, children }: Reading<T>) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <Trouble error={query.error} retry={() => query.refetch()} />
  return <RowsSkeleton />
}

/** The same, in its own panel. */
export function ShownPanel<T>({ title, ...reading }: { title: string } & Reading<T>) {
  return (
    <Panel title={title}>
      <Shown {...reading} />
    </Panel>
  )
}

/** Healthy or not: colour, icon and word together. */
export function Health({ ok, children }: { ok: boolean; children: ReactNode }) {
  const Icon = ok ? IconDone : IconAlert
  return (
    <span className={`chip sentence ${ok ? 'done' : 'bad'}`}>
      <Icon size={16} />
      {children}
    </span>
  )
}

/** A table; on a narrow screen its rows are cards. Wide content scrolls, also by keyboard. */
export function Rows({
  head,
  right = [],
  label,
  children,
}: {
  head: string[]
  /** Columns of numbers. */
  right?: string[]
  label: string
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="scroll" aria-label={label} tabIndex={0}>
      <table className="rows stack">
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} className={right.includes(name) ? 'right' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

/** Evidence, as it was stored. */
export function Evidence({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <pre className="evidence" tabIndex={0}>
      {JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? String(one) : one), 2)}
    </pre>
  )
}
