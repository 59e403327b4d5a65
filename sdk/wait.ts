import { WaitTimeoutError } from './errors.ts'
import { isPassing, sleep } from './transport.ts'

export type WaitOptions<T> = {
  signal?: AbortSignal | undefined
  /** The longest wait. */
  timeoutMs?: number
  /** Called after every poll, for a progress line. */
  onLook?: (seen: T | undefined) => void
}

type Poll<T> = WaitOptions<T> & {
  what: string
  everyMs: number
  timeoutMs: number
  look(isFirst: boolean): Promise<T | undefined>
  isDone(seen: T): boolean
}

/** Polls until it is done. Temporary failures are retried within the deadline. */
export async function poll<T>(options: Poll<T>): Promise<T> {
  const { what, everyMs, timeoutMs, look, isDone, onLook, signal } = options
  const endAt = Date.now() + timeoutMs
  for (let looks = 0; ; looks++) {
    const seen = await look(looks === 0).catch((error: unknown) => {
      if (isPassing(error)) return undefined
      throw error
    })
    onLook?.(seen)
    if (seen !== undefined && isDone(seen)) return seen
    if (Date.now() + everyMs > endAt) {
      throw new WaitTimeoutError(`${what} was not final after ${timeoutMs / 1_000} s`)
    }
    await sleep(everyMs, signal)
  }
}
