import type { Clock } from './clock.ts'
import type { Random } from './random.ts'

export type Ids = {
  /** A UUIDv7, lower-case. It sorts by creation time, so that inserts touch few index pages. */
  next(): string
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Several ids are made per request: hex digits come from a table, those of the timestamp are cached. */
export function uuidsV7(clock: Clock, random: Random): Ids {
  let ms = -1
  let head = ''
  return {
    next() {
      const nowMs = clock.now().getTime()
      if (nowMs !== ms) {
        ms = nowMs
        const hex = nowMs.toString(16).padStart(12, '0')
        head = `${hex.slice(0, 8)}-${hex.slice(8)}-`
      }
      const bytes = random.bytes(10)
      const two = (place: number) => HEX[bytes[place]!]!
      const version = HEX[0x70 | (bytes[0]! & 0x0f)]!
      const variant = HEX[0x80 | (bytes[2]! & 0x3f)]!
      return `${head}${version}${two(1)}-${variant}${two(3)}-${two(4)}${two(5)}${two(6)}${two(7)}${two(8)}${two(9)}`
    },
  }
}
