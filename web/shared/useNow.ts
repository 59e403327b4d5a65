import { useEffect, useReducer } from 'react'
import { serverNow, whenClockMoves } from './clock.ts'

/** The time now. The component is painted again periodically, and when the clock was moved. */
export function useNow(everyMs = 10_000): number {
  const [, paint] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(paint, everyMs)
    const end = whenClockMoves(paint)
    return () => {
      clearInterval(timer)
      end()
    }
  }, [everyMs])
  return serverNow()
}
