import { expect, test, vi } from 'vitest'
import { createDeadlines } from './deadlines.ts'

test('each wait that has not ended in time is reported once, in order, and no other', () => {
  vi.useFakeTimers()
  try {
    const late: string[] = []
    const deadlines = createDeadlines<string>(100, (wait) => late.push(wait))
    deadlines.begin('first')
    vi.advanceTimersByTime(40)
    deadlines.begin('ended')
    deadlines.begin('second')
    deadlines.end('ended')
    vi.advanceTimersByTime(59)
    expect(late).toEqual([])
    vi.advanceTimersByTime(2)
    expect(late).toEqual(['first'])
    vi.advanceTimersByTime(40)
    expect(late).toEqual(['first', 'second'])
    deadlines.begin('third')
    vi.advanceTimersByTime(99)
    expect(late).toEqual(['first', 'second'])
    vi.advanceTimersByTime(500)
    expect(late).toEqual(['first', 'second', 'third'])
  } finally {
    vi.useRealTimers()
  }
})
