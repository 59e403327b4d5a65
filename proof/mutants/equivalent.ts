import { changeOf, type Place } from './place.ts'

/** A change that makes no observable difference, and why. */
export type Equivalent = { file: string; line: string; change: string; reason: string }

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: 'service/ledger/readEntries.ts',
    line: 'const ABOVE_ALL_VERSIONS = 2n ** 63n - 1n',
    change: '1n -> 2n',
    reason: 'no account has had so many movements: either is above all of them',
  },
  {
    file: 'service/signing/payouts/store.ts',
    line: 'limit 1)',
    change: '1 -> 2',
    reason: 'the caller reads the first row alone, and either limit gives it',
  },
  {
    file: 'service/orders/schema/pairs.sql',
    line: 'while wanted - above > slack and number - low > 1 loop',
    change: 'and -> or',
    reason: 'the second condition ends the loop only where the pairs are corrupt',
  },
  {
    file: 'service/agent/create.sql.ts',
    line: 'where address = $1 and deleted_at is not null and displaced_at is null',
    change: 'deleted_at is not null -> (deleted_at is not null or true)',
    reason: 'while a configuration holds the address, no other can be inserted anyway',
  },
]

export function equivalentOf(
  place: Place,
  list: readonly Equivalent[] = EQUIVALENT,
): Equivalent | undefined {
  return list.find(
    ({ file, line, change }) =>
      file === place.file && line === place.lineText && change === changeOf(place),
  )
}
