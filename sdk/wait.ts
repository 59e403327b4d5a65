import { WaitTimeoutError } from './errors.ts'
import { isPassing, sleep } from './transport.ts'

/** What is known after a poll. */
export type WaitProgress<T> = {
  /** Undefined when there was no answer, or it is not there yet; the next poll asks again. */
  seen: T | undefined
  polls: number
  elapsedMs: number
  timeoutMs: number
}

export type WaitOptions<T> = {
  signal?: AbortSignal | undefined
  /** The longest wait. */
  timeoutMs?: number
  /** Called after every poll, for a progress line. */
  onProgress?: (progress: WaitProgress<T>) => void
  /** The same with what was seen alone; the older form. */
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
  const { what, everyMs, timeoutMs, look, isDone, onLook, onProgress, signal } = options
  const beganAt = Date.now()
  const endAt = beganAt + timeoutMs
  for (let looks = 0; ; looks++) {
    const seen = await look(looks === 0).catch((error: unknown) => {
      if (isPassing(error)) return undefined
      throw error
    })
    onLook?.(seen)
    onProgress?.({ seen, polls: looks + 1, elapsedMs: Date.now() - beganAt, timeoutMs })
    if (seen !== undefined && isDone(seen)) return seen
    if (Date.now() + everyMs > endAt) {
      throw new WaitTimeoutError(`${what} was not final after ${timeoutMs / 1_000} s`)
    }
    await sleep(everyMs, signal)
  }
}
