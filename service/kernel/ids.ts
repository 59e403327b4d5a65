import type { Clock } from './clock.ts'
import type { Random } from './random.ts'

export type Ids = {
  /** A UUIDv7, lower-case: sorts by the time it was made, so that index pages stay warm. */
  next(): string
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

export function uuidsV7(clock: Clock, random: Random): Ids {
  // One for all: it is read into text before anybody else can write it.
  const bytes = Buffer.alloc(16)
  return {
    next() {
      bytes.writeUIntBE(clock.now().getTime(), 0, 6)
      bytes.set(random.bytes(10), 6)
      bytes[6] = 0x70 | (bytes[6]! & 0x0f)
      bytes[8] = 0x80 | (bytes[8]! & 0x3f)
      const hex = bytes.toString('hex')
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
    },
  }
}
