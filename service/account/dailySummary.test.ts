import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../proof/testing/app.ts'

// No worker runs: rounds are made by the test.
let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ role: 'api', scans: true })
  // At noon: a day is summed up a minute after its end, and a test may begin within that minute.
  const nowMs = Date.parse((await app.call('GET', '/sandbox/clock')).body.now)
  await advance(DAY_MS - (nowMs % DAY_MS) + DAY_MS / 2)
})
afterAll(() => app.close())

const DAY_MS = 86_400_000
const TYPE = 'account.daily_summary'
const round = () => app.rooms.dailySummary.runOnce()
const wants = (account: string, types: (typeof TYPE)[]) =>
  app.db.transaction((tx) => app.rooms.events.listen(tx, 'chat', account, types))
const advance = (ms: number) =>
  app.call('POST', '/sandbox/clock', { body: { advance_seconds: ms / 1000 } })

const lastDay = async (account: string) => {
  const text = 'select last_day::text as day from account.summary where account_id = $1'
  return (await app.database.sql<{ day: string }>(text, [account]))[0]?.day
}
const daysTold = async (account: string) => {
  const text = `select data->>'date' as day from events.event where account_id = $1 and type = $2 order by 1`
  return (await app.database.sql<{ day: string }>(text, [account, TYPE])).map(({ day }) => day)
}
const dayOf = async (offset: number) => {
  const { now } = (await app.call('GET', '/sandbox/clock')).body
  return new Date(Date.parse(now) + offset * DAY_MS).toISOString().slice(0, 10)
}

test('summaries that are no longer wanted end; the days until they are wanted again are not made up', async () => {
  const { account_id: account } = await app.newAccount()
  await wants(account, [TYPE])
  await round()
  const first = await dayOf(0)
  expect(await lastDay(account)).toBe(await dayOf(-1))
  await wants(account, [])
  await advance(3 * DAY_MS)
  await round()
  expect([await lastDay(account), await daysTold(account)]).toEqual([undefined, []])
  await wants(account, [TYPE])
  const second = await dayOf(0)
  await advance(DAY_MS)
  await round()
  expect(await daysTold(account)).toEqual([second])
  expect(second > first).toBe(true)
})

test('after its first round a process reads only the choices that were changed lately', async () => {
  await round()
  const [known, lately] = [await app.newAccount(), await app.newAccount()]
  await app.database.sql(`insert into events.interest values ($1, 'chat', $2, '2026-01-01Z')`, [
    known.account_id,
    [TYPE],
  ])
  await wants(lately.account_id, [TYPE])
  await round()
  expect(await lastDay(known.account_id)).toBeUndefined()
  expect(await lastDay(lately.account_id)).toBe(await dayOf(-1))
})
