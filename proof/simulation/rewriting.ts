import { assert } from '../../service/kernel/index.ts'
import type { Intercept } from './client.ts'

type Rewrite = { statement: string; from: string; to: string }

/** Replaces parts of statements. A part that no longer occurs is an error. */
export function rewriting(rewrites: readonly Rewrite[]): Intercept {
  return (given, connection) => {
    const text = rewrites.reduce((words, { statement, from, to }) => {
      if (statement !== given.name) return words
      assert(words.includes(from), `${statement} no longer says "${from}": mend the planted bug`)
      return words.replace(from, to)
    }, given.text)
    return connection.run({ ...given, text })
  }
}
