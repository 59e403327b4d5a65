import { useRef, useState } from 'react'
import { ApiTrouble } from '../../shared/api.ts'

/**
 * Sends one wish once: a second tap does nothing until the form has changed, a new order is begun, or the
 * call has failed. The idempotency key stays for the same time, also over a failed call, so that a retry buys once.
 */
export function useOnce() {
  const [isSent, setSent] = useState(false)
  const [isUnknown, setUnknown] = useState(false)
  // Taps can come faster than the page is painted.
  const isBusy = useRef(false)
  const key = useRef(crypto.randomUUID())
  return {
    isSent,
    /** A purchase with this key may have been made, and no answer has told since. */
    isUnknown,
    key: () => key.current,
    noteFailure(error: Error, sentKey: string) {
      if (sentKey !== key.current) return
      if (mayBeMade(error)) setUnknown(true)
      else if (tellsOutcome(error)) setUnknown(false)
    },
    send(call: () => Promise<unknown>) {
      if (isBusy.current) return
      isBusy.current = true
      const sentKey = key.current
      // After a change it is the call of another wish.
      const isSame = () => key.current === sentKey
      call().then(
        () => setSent(isSame()),
        () => {
          if (isSame()) isBusy.current = false
        },
      )
    },
    anew() {
      key.current = crypto.randomUUID()
      isBusy.current = false
      setSent(false)
      setUnknown(false)
    },
  }
}

const UNDECIDED = ['duplicate_request', 'internal_error']

function mayBeMade(error: Error): boolean {
  if (!(error instanceof ApiTrouble) || UNDECIDED.includes(error.code)) return true
  // Without a code it is the answer of something before the service.
  return error.status >= 500 && error.code === ''
}

/** A refusal of the purchase itself: a key that was used would have been replayed instead. */
const tellsOutcome = (error: Error) => error instanceof ApiTrouble && error.status === 400
