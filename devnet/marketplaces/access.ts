import { timingSafeEqual } from 'node:crypto'

/** Is the header what was worked out? Without telling by the time it takes. */
export function isSame(header: string | string[] | undefined, expected: string): boolean {
  const given = Buffer.from(String(header ?? ''))
  const wanted = Buffer.from(expected)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
