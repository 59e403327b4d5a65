import { dirname } from 'node:path/posix'
import { isTest } from './floors.ts'
import { type Rule, type Source, type Violation, violations } from './source.ts'

/** Files that may make statements although their names do not say so, and why. */
const STATEMENT_HOMES: Record<string, string> = {
  'service/db/statement.ts': 'it is where statement() is made',
}
/** Migrations that take a table over from another room name both schemas, and why they did. */
const TAKES_OVER: Record<string, string> = {
  'service/mail/schema/20261117T0930-mail': 'letters were a table of identity',
}
/** Reads all schemas: that is its work. */
const READS_ALL = ['audit']
const REFERENCE = /(\w+\s+(?:only\s+)?)?(?<![\w.'"/])(\w+)\.(\w+)(\s*\()?/gi
/** Words after which a name with a parenthesis is a table with its columns, not a function. */
const TABLE_WORDS = /^(into|references|on|table|update)\s+(only\s+)?$/i

const roomOf = (path: string) => /^service\/([\w-]+)\//.exec(path)?.[1]
const schemaOf = (room: string) => room.replaceAll('-', '_')

/** A room's store.ts, or <useCase>.sql.ts beside the use case that runs its statements. */
const STORE = /\/(?:store|[\w-]+\.sql)\.ts$/

function isSqlOfRoom({ path }: Source): boolean {
  const isSql = STORE.test(path) || /^service\/[\w-]+\/schema\/.*\.sql$/.test(path)
  return path.startsWith('service/') && isSql && !isTest(path)
}

export const ownSchema: Rule = {
  name: "a room's SQL names its own schema; of others it calls functions",
  check(tree) {
    const withTables = tree.filter(({ path }) => /^service\/[\w-]+\/schema\//.test(path))
    const rooms = withTables.map(({ path }) => roomOf(path)!)
    const owners = new Map(rooms.map((room) => [schemaOf(room), room]))
    return tree.filter(isSqlOfRoom).flatMap((source) => foreignNames(source, owners))
  },
}

function foreignNames(source: Source, owners: Map<string, string>): Violation[] {
  const own = roomOf(source.path)!
  if (READS_ALL.includes(own) || dirname(source.path) in TAKES_OVER) return []
  return violations(source, 'code', REFERENCE, ([, before = '', schema, name, call]) => {
    const owner = owners.get(schema!)
    if (owner === undefined || owner === own) return undefined
    const isTable = call === undefined || TABLE_WORDS.test(before)
    if (!isTable) return undefined
    const isForeignKey = /^references\s+$/i.test(before)
    if (isForeignKey && `${schema}.${name}` === 'identity.account') return undefined
    return isForeignKey
      ? 'foreign keys go only to identity.account; keep the id without one'
      : `schema ${schema} belongs to ${owner}; call one of its functions`
  })
}

export const statementsInStores: Rule = {
  name: 'SQL is written in store.ts, or in <useCase>.sql.ts beside its use case',
  check: (tree) => [
    ...tree
      .filter(({ path }) => /^service\/.*\.ts$/.test(path) && !isTest(path))
      .filter(({ path }) => !STORE.test(path) && !(path in STATEMENT_HOMES))
      .flatMap((source) => violations(source, 'bare', /\bstatement\s*(?:<|\()/g, MOVE)),
    ...alone(tree),
  ],
}
const MOVE =
  "move this statement to the room's store.ts, or to <useCase>.sql.ts beside its use case"

/**
 * A reader of the use case finds its SQL next to it, and the other way round. The conditions of a
 * room's loops stand in its due.sql.ts, because one statement of service/app asks for all of them.
 */
function alone(tree: readonly Source[]): Violation[] {
  const paths = new Set(tree.map(({ path }) => path))
  return tree.flatMap(({ path }) => {
    const useCase = path.replace(/\.sql\.ts$/, '.ts')
    const sentence = `there is no ${useCase}; name it after the use case that runs its statements`
    return paths.has(useCase) || path.endsWith('/due.sql.ts') ? [] : [{ path, line: 1, sentence }]
  })
}

export const timeInSql: Rule = {
  name: 'SQL takes business time as a parameter',
  check: (tree) =>
    tree
      .filter(isSqlOfRoom)
      .flatMap((source) =>
        violations(
          source,
          'code',
          /\b(now\(\)|current_timestamp|localtimestamp|transaction_timestamp\(\)|current_date)/gi,
          ([, word]) =>
            `${word} is banned in SQL; pass clock.now() in, or use clock_timestamp() for a lease`,
        ),
      ),
}
