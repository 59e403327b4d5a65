import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { accountQuery } from './queries.ts'

type Balance = { kind: 'balance'; balance_trx: string; spendable_trx: string }
type Change = Balance | { kind: 'order'; id: string; status: string }

/**
 * One stream for the visible tab. A browser has six connections per host, so a hidden tab closes
 * its stream, and reloads everything when it is shown again.
 */
export function useLive() {
  const client = useQueryClient()
  useEffect(() => {
    let stream: EventSource | undefined
    let isNew = true
    const isShown = ({ balance_trx, spendable_trx }: Balance) => {
      const shown = client.getQueryData(accountQuery.queryKey)
      return shown?.balance_trx === balance_trx && shown.spendable_trx === spendable_trx
    }
    const receive = ({ data }: MessageEvent<string>) => {
      const change = JSON.parse(data) as Change
      // A new stream begins with the balance, which the page has most often just read.
      const isFirst = isNew
      isNew = false
      if (isFirst && change.kind === 'balance' && isShown(change)) return
      const stale =
        change.kind === 'order'
          ? [
              ['orders'],
              ['order', change.id],
              ['checkout', change.id],
              ['overview'],
              ['agent'],
              ['receiver'],
            ]
          : [['account'], ['transactions'], ['deposits'], ['overview'], ['statement'], ['agent']]
      for (const queryKey of stale) void client.invalidateQueries({ queryKey })
    }
    const follow = () => {
      if (document.hidden) {
        stream?.close()
        stream = undefined
      } else if (!stream) {
        isNew = true
        stream = new EventSource('/app/v1/live')
        stream.onmessage = receive
      }
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      stream?.close()
    }
  }, [client])
}
