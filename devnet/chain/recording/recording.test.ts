import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Devnet, startDevnet } from '../devnet.ts'
import { allowed, isAllowed } from './allowed.ts'
import { Driver, readRecording } from './driver.ts'
import type { Difference } from './pattern.ts'

// 450 calls that java-tron 4.8.0 was asked, and its answers: the devnet is asked the same.

const blockMs = 3_000
const recording = readRecording()

let devnet: Devnet
const found: Difference[] = []
const made = new Set<string>()

beforeAll(async () => {
  let now = Date.UTC(2026, 0, 1)
  devnet = await startDevnet({
    blockMs: 0,
    solidLag: 1,
    nodePorts: { full: 0, solidity: 0 },
    now: () => now,
  })
  const driver = new Driver(devnet, () => {
    now += blockMs
  })
  for (const call of recording) {
    found.push(...(await driver.make(call)))
    made.add(call.name)
  }
})
afterAll(() => devnet.close())

const unmeant = (call: string) =>
  found.filter((one) => one.call === call && !allowed.some((rule) => isAllowed(one, rule)))

test.each(recording.map(({ name }) => name))('%s', (name) => {
  expect(made).toContain(name)
  expect(unmeant(name)).toEqual([])
})

test('every difference that is allowed occurs', () => {
  const needless = allowed.filter((rule) => !found.some((one) => isAllowed(one, rule)))
  expect(needless).toEqual([])
})
