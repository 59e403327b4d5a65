import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../proof/testing/app.ts'
import { until } from '../../proof/testing/until.ts'
import { type Runtime, systemRuntime } from '../kernel/index.ts'

// A service that nobody calls and that reads no blocks: what it asks of its database.

/** Names of the statements that were sent, in order. */
let sent: string[] = []
const counting: Pick<Runtime, 'step'> = {
  async step(label) {
    if (!label.startsWith('committed after ')) sent.push(label.replace('commit after ', ''))
  },
}
const LOOKS = 40
const LOOK_MS = 25

let app: TestApp
beforeAll(async () => {
  const runtime = { ...systemRuntime(), ...counting }
  app = await openTestApp({ role: 'worker', runtime, lookMs: LOOK_MS, mail: 'log' })
})
afterAll(() => app.close())

/** What is asked from time to time whether or not there is work; the others wait for theirs. */
const FROM_TIME_TO_TIME =
  /^(audit|providers|deposits\.readSwitch|chain\.readSight|chain\.readCursor|signing\.readAddresses|db)/

const looks = () => sent.filter((name) => name === 'app.readDue').length

/** Statements of the next `LOOKS` looks. */
async function overLooks(): Promise<string[]> {
  sent = []
  await until(`${LOOKS} looks`, () => looks() >= LOOKS)
  return sent
}

test('at rest one statement asks for the work of all loops, and no loop asks by itself', async () => {
  const others = await until('a service at rest', async () => {
    const asked = (await overLooks()).filter((name) => name !== 'app.readDue')
    return asked.every((name) => FROM_TIME_TO_TIME.test(name)) && asked
  })
  expect(others.length).toBeLessThan(LOOKS)
})

test('what another connection writes is found by the look, and its loop runs', async () => {
  await overLooks()
  await app.database.sql(`insert into mail.letter (id, recipient, subject, text, due_at)
    values ('01a1dd1e-0000-7000-8000-00000000000a', 'a@example.com', 'Hello', 'Hello', clock_timestamp())`)
  await until('the letter to be gone', async () => {
    const left = await app.database.sql('select from mail.letter')
    return left.length === 0
  })
  expect(sent).toContain('mail.claimLetters')
})

test('a clock that another process has moved wakes what is due by then', async () => {
  await overLooks()
  expect(sent).not.toContain('account.beginSummaries')
  await app.database.sql('update db.clock set ahead_ms = ahead_ms + 90000000')
  await until('the loop of the day', () => sent.includes('account.beginSummaries'))
})

test('a purchase after a rest makes the providers answer at once', async () => {
  const polls = () => sent.filter((name) => name === 'providers.claimPolls').length
  // The rounds that follow a start are over when a rest of theirs has begun.
  await until('a rest between two polls', async () => {
    await overLooks()
    return polls() === 0
  })
  sent = []
  app.rooms.providers.takeOff('own_stake', 1n)
  await until('the poll', () => polls() > 0)
  expect(looks()).toBeLessThan(LOOKS)
})
