import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

type Change =
  | { kind: 'balance'; balance_trx: string }
  | { kind: 'order'; id: string; status: string }

/**
 * One stream for the visible tab. A browser has six connections per host, so a hidden tab closes
 * its stream, and reloads everything when it is shown again.
 */
export function useLive() {
  const client = useQueryClient()
  useEffect(() => {
    let stream: EventSource | undefined
    const receive = ({ data }: MessageEvent<string>) => {
      const change = JSON.parse(data) as Change
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
