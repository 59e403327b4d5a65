import type { WholesaleRow } from '../pricing/index.ts'

/** What one Energy cost us at a time; undefined before the first record. Ask in the order of time. */
export function costsOf(rows: readonly WholesaleRow[]): (at: Date) => bigint | undefined {
  let place = -1
  return (at) => {
    while (place + 1 < rows.length && rows[place + 1]!.fromAt <= at) place += 1
    return rows[place]?.unit
  }
}
