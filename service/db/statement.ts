import { assert } from '../kernel/index.ts'

declare const rowBrand: unique symbol

/** One SQL statement of a room, prepared under its name, which is `room.verbNoun`. */
export type Statement<Row> = {
  readonly name: string
  readonly text: string
  readonly [rowBrand]?: Row
}

const known = new Map<string, Statement<unknown>>()

/** Only in a room's store.ts and in <useCase>.sql.ts. The row type says what the columns are; names in SQL are qualified. */
export function statement<Row = Record<string, never>>(name: string, text: string): Statement<Row> {
  assert(!known.has(name), `two statements are called ${name}`)
  const made: Statement<Row> = { name, text }
  known.set(name, made)
  return made
}

/** For the test that prepares every statement against a freshly migrated database. */
export function allStatements(): Statement<unknown>[] {
  return [...known.values()]
}
