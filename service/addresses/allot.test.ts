import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../proof/testing/app.ts'
import { NotNow, systemRuntime } from '../kernel/index.ts'
import { createAddresses } from './addresses.ts'

const XPUB =
  'xpub6DYjajFXaaGoKXmK5ZB3s4of3srcgUGbPRgyXBpajfmJWgn8HguRNvmKBejyJNpbgY7UEzn7Yw7HJ4SCutbxCJ22x96G2sqaqkgKwegtDcW'
let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ role: 'api', scans: true })
})
afterAll(() => app.close())

async function position(): Promise<number> {
  const { account_id } = await app.newAccount()
  const [row] = await app.database.sql<{ position: number }>(
    `select position::int from addresses.address where account_id = $1`,
    [account_id],
  )
  return row!.position
}

test('the first account on another timeline gets no address that a lost account may have', async () => {
  const before = await position()
  expect(await position()).toBe(before + 1)
  // As in a backup of a server that has been promoted since.
  await app.database.sql(`update addresses.counter set timeline = timeline + 1`)
  expect(await position()).toBe(before + 10_002)
  expect(await position()).toBe(before + 10_003)
})

test('nothing is allotted until the books were compared with the chain', async () => {
  const addresses = createAddresses({
    db: app.db,
    runtime: systemRuntime(),
    signing: app.rooms.signing,
    extendedPublicKey: XPUB,
    watch: app.rooms.chain.watch,
    mayAllot: () => false,
  })
  const { account_id } = await app.newAccount()
  const allotted = app.db.transaction((tx) => addresses.allotAgent(tx, account_id))
  await expect(allotted).rejects.toBeInstanceOf(NotNow)
})
