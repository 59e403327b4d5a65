import { TextInput } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { shortened } from '../shared/Address.tsx'
import { IconSearch } from '../shared/icons.tsx'
import { messageOf } from '../shared/messages.ts'
import { stateWords } from '../shared/StatusChip.tsx'
import { foundQuery } from './calls.ts'

type Found = { order_id: string | null; account_id: string }

const WAIT_MS = 250

/** Finds whatever is pasted: an id, an address, a transaction, a name or an e-mail. */
export function Find() {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), WAIT_MS)
  const { data, error, isFetching } = useQuery(foundQuery(asked))
  const field = useRef<HTMLInputElement>(null)
  const navigate = useNavigate()
  useHotkeys([['/', () => field.current?.focus()]])
  const go = (to: string, search: Record<string, string>) => {
    setText('')
    void navigate({ to, search } as never)
  }
  const open = (one: Found) =>
    one.order_id ? go('/orders', { id: one.order_id }) : go('/accounts', { id: one.account_id })
  const [first] = asked === text.trim() ? (data?.found ?? []) : []
  return (
    <search className="find">
      <TextInput
        ref={field}
        aria-label="Search"
        placeholder="Id or address"
        leftSection={<IconSearch size={16} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Escape') setText('')
          if (key === 'Enter' && first) open(first)
        }}
      />
      {text.trim() !== '' && (
        <div className="menu found" aria-live="polite">
          {error && <p>{messageOf(error)}</p>}
          {!error && asked !== '' && !isFetching && data?.found.length === 0 && (
            <p>Nothing is known by this text.</p>
          )}
          {!error && (asked === '' || (isFetching && !data)) && <p className="soft">Looking …</p>}
          {data?.found.map((one) => (
            <button key={`${one.kind} ${one.id}`} type="button" onClick={() => open(one)}>
              <b>{stateWords(one.kind)}</b>{' '}
              <span>
                {one.kind === 'account' ? one.account_name || 'unnamed' : shortened(one.id)}
                <span className="soft">
                  {' '}
                  {one.why}
                  {one.kind !== 'account' && `, of ${one.account_name || 'an unnamed account'}`}
                </span>
              </span>
            </button>
          ))}
        </div>
      )}
    </search>
  )
}
