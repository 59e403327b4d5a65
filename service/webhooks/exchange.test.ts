import type { Dispatcher } from 'undici'
import { expect, test, vi } from 'vitest'
import { createExchanges, TooLate } from './exchange.ts'

test('an exchange is given up after 5 s, however far it has come', async () => {
  vi.useFakeTimers()
  try {
    const exchange = createExchanges((error) => (error instanceof TooLate ? 'timeout' : 'other'))
    const controller = { abort() {} } as unknown as Dispatcher.DispatchController
    const dispatch: Dispatcher['dispatch'] = (_options, handler) => {
      handler.onRequestStart?.(controller, {})
      handler.onResponseStart?.(controller, 200, {})
      return true
    }
    const dispatcher = { dispatch } as Dispatcher
    let outcome: unknown
    void exchange({ dispatcher, origin: '', path: '' }, { headers: {}, body: '' }).then((ended) => {
      outcome = ended
    })
    await vi.advanceTimersByTimeAsync(4_999)
    expect(outcome).toBeUndefined()
    await vi.advanceTimersByTimeAsync(2)
    expect(outcome).toMatchObject({ status: null, error: 'timeout' })
  } finally {
    vi.useRealTimers()
  }
})
