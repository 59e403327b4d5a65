import { openDb, openSchemaPool, statement } from '../../service/db/index.ts'
import { silentLog, systemRuntime } from '../../service/kernel/index.ts'

// A process that queries the database repeatedly in one way, with more callers than connections.
// The test checks that it continues when its sessions end.

const [, , url = '', way = '', rounds = '0'] = process.argv
const ASKERS = 8

const one = statement<{ one: number }>('test.poolProgramOne', 'select 1 as one')

const parts = { urls: [url], connections: 1, log: silentLog, name: 'pool-program' }
const schemaPool = way === 'schema' ? await openSchemaPool({ ...parts, schema: 'test' }) : undefined
const db = schemaPool ? undefined : await openDb({ ...parts, runtime: systemRuntime() })

async function viaSchemaPool() {
  const client = await schemaPool!.connect()
  try {
    await client.query('select 1')
  } finally {
    client.release()
  }
}

let asked = 0
const nextTurn = () => new Promise<void>((turn) => setImmediate(turn))
const ways: Record<string, () => Promise<unknown>> = {
  query: () => db!.query(one),
  // One caller queries; the others wait for its connection, and the next gets it with the answer.
  handed: () => (asked++ % ASKERS === 0 ? ways.query!() : nextTurn().then(ways.transaction)),
  transaction: () => db!.transaction((tx) => tx.query(one)),
  schema: viaSchemaPool,
}

console.log('up')
let answered = 0
for (let round = 0; round < Number(rounds); round++) {
  const all = await Promise.allSettled(Array.from({ length: ASKERS }, () => ways[way]!()))
  answered += all.filter(({ status }) => status === 'fulfilled').length
  // A message after a session's last answer is read in a later turn of the event loop.
  await nextTurn()
}
console.log(`alive, ${answered} answered`)
process.exit(0)
