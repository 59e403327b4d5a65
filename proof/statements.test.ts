import { globSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allStatements } from '../service/db/index.ts'
import { createTestDatabase, type TestDatabase } from './testing/database.ts'
import { type Column, describeStatement } from './testing/describeStatement.ts'
import { rowTypesOf } from './testing/rowTypes.ts'

const root = join(import.meta.dirname, '..')
const stores = globSync('service/**/{store,*.sql}.ts', { cwd: root }).map((file) =>
  join(root, file),
)
for (const store of stores) await import(store)
const rowTypes = new Map(stores.flatMap((store) => [...rowTypesOf(store)]))
const rooms = new Set(globSync('*/', { cwd: join(root, 'service') }))
// Other test files of this process may have made statements of their own.
const statements = allStatements().filter(({ name }) => rooms.has(name.split('.')[0]!))

let database: TestDatabase
let client: pg.Client
let signer: pg.Client
let api: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  client = await connect('ergon_app')
  signer = await connect('ergon_signer')
  api = await connect('ergon_api')
})
afterAll(async () => {
  await client.end()
  await signer.end()
  await api.end()
  await database.drop()
})

async function connect(role: 'ergon_app' | 'ergon_api' | 'ergon_signer'): Promise<pg.Client> {
  const made = new pg.Client({ connectionString: database.url(role), options: '-c search_path=' })
  await made.connect()
  return made
}

/** What our pools parse a column to, as the row type has to write it. */
const TYPES: Record<number, string> = {
  16: 'boolean',
  17: 'Buffer',
  20: 'bigint',
  21: 'number',
  23: 'number',
  25: 'string',
  1009: 'string[]',
  1184: 'Date',
  2950: 'string',
}

function troubles(columns: Column[], row: Record<string, string>): string[] {
  const returned = new Set(columns.map(({ name }) => name))
  const missing = Object.keys(row).filter((name) => !returned.has(name))
  const wrong = columns.flatMap(({ name, type }) => {
    const declared = row[name]
    if (declared === undefined) return [`${name} is returned but not in the row type`]
    const plain = declared
      .replace(/ \| null$/, '')
      .replace(/^'.*'$/, 'string')
      .replace(/^Sun$/, 'bigint')
    const known = /^(boolean|Buffer|bigint|number|string|Date|string\[\])$/.test(plain)
    const right = TYPES[type] === undefined || !known || TYPES[type] === plain
    return right ? [] : [`${name} is ${TYPES[type]}, the row type says ${declared}`]
  })
  return [...missing.map((name) => `${name} is in the row type but not returned`), ...wrong]
}

test.each(statements.map((statement) => [statement.name, statement] as const))(
  '%s can be prepared, its columns are those of its row type',
  async (name, { text }) => {
    const columns = await describeStatement(client, text)
    const row = rowTypes.get(name)
    if (row) expect(troubles(columns, row)).toEqual([])
  },
)

const planned = statements.filter(({ text }) =>
  /^\s*(select|insert|update|delete|with)\b/.test(text),
)

test.each(planned.map((statement) => [statement.name, statement] as const))(
  '%s may be run by the role that runs it',
  async (_name, { text }) => {
    const explain = `explain (generic_plan) ${text}`
    // The signer has a role of its own; a statement of the signing room is run by one of the two.
    await client.query(explain).catch(async (refusal) => {
      await signer.query(explain).catch(() => Promise.reject(refusal))
    })
  },
)

const NOT_FOR_HTTP = [
  'audit.insertSeal',
  'audit.recordFailure',
  'audit.recordProof',
  'audit.writePass',
  'audit.writeProven',
  'books.rollForward',
  'chain.claimBroadcasts',
  'chain.expireBroadcasts',
  'chain.forgetBlocks',
  'chain.includeBroadcasts',
  'chain.insertBlock',
  'chain.insertBroadcast',
  'chain.lockCursor',
  'chain.moveCursor',
  'chain.noteHead',
  'chain.orphanBlock',
  'chain.raiseSolid',
  'chain.recordAnswers',
  'chain.returnBroadcasts',
  'chain.startCursor',
  'deposits.addToHoldings',
  'deposits.bookSweeps',
  'deposits.confirmDeposits',
  'deposits.dropPayoutBytes',
  'deposits.endCancelling',
  'deposits.endSweep',
  'deposits.expirePayout',
  'deposits.insertDeposits',
  'deposits.insertRecoveredPayout',
  'deposits.insertSweep',
  'deposits.lockDead',
  'deposits.lockHolding',
  'deposits.lockSolid',
  'deposits.markHoldings',
  'deposits.openHoldings',
  'deposits.orphanDeposits',
  'deposits.orphanTokens',
  'deposits.payPayout',
  'deposits.payRecovered',
  'deposits.recordTokens',
  'deposits.returnDeposits',
  'deposits.revertDeposits',
  'deposits.setPayoutBytes',
  'deposits.takeFromHolding',
  'deposits.verifyDeposits',
  'deposits.writePass',
  'deposits.writeReadings',
  'events.dropBefore',
  'ledger.addUp',
  'signing.bookOutflows',
  'signing.claimSigned',
  'signing.dropDestinations',
  'signing.findOutflows',
  'signing.insertAnswers',
  'signing.insertRequests',
  'signing.isNearHead',
  'signing.lockSwitch',
  'signing.lookAtOutflows',
  'signing.orphanOutflows',
  'signing.publishAddress',
  'signing.publishDepositRoot',
  'signing.publishDestinations',
  'signing.publishPayoutLimit',
  'signing.setRecorded',
  'signing.turnOn',
  'staking.dropBytes',
  'staking.endCancelling',
  'staking.endMined',
  'staking.endRefused',
  'staking.expireBytes',
  'staking.insertRecovered',
  'staking.postpone',
  'staking.setBytes',
  'treasury.bookRecovered',
  'treasury.endTransfer',
  'treasury.endWaiting',
  'treasury.insertTransfer',
  'treasury.lockTurn',
  'treasury.markArrived',
  'treasury.nextTurn',
  'treasury.setWaiting',
]

test('what HTTP processes cannot run is the work of scanners, workers and the signer', async () => {
  const refused: string[] = []
  for (const { name, text } of planned) {
    await api.query(`explain (generic_plan) ${text}`).catch((error) => {
      expect([name, error.code]).toEqual([name, '42501'])
      refused.push(name)
    })
  }
  expect(refused.toSorted()).toEqual(NOT_FOR_HTTP)
})

test('there are statements to check, each named after its room', () => {
  expect(statements.length).toBeGreaterThan(10)
  for (const { name } of statements) expect(name).toMatch(/^[a-z_]+\.[a-z][A-Za-z]+$/)
})
