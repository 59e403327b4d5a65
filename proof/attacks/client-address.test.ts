// Proves: http.
import { expect, test } from 'vitest'
import { testDoors } from '../testing/doors.ts'
import { openTestHouse, type TestHouse } from '../testing/house.ts'

const UNKNOWN = `erg_${'A'.repeat(43)}`

/** Statuses of `count` calls with a key nobody has, one after the other. */
async function guess(house: TestHouse, count: number, headers: Record<string, string> = {}) {
  const statuses: number[] = []
  for (let i = 0; i < count; i += 1) {
    statuses.push((await house.call('GET', '/v1/account', { key: UNKNOWN, headers })).status)
  }
  return statuses
}

const times = (count: number, status: number) => Array.from({ length: count }, () => status)
const from = (address: string) => ({ 'x-forwarded-for': address })

test('30 refused keys a minute per address, then 429; a good key passes from the same address', async () => {
  const doors = testDoors()
  const house = await openTestHouse({ doors, sandbox: false })
  const { apiKey } = await house.rooms.accounts.create('neighbour')
  expect(await guess(house, 33)).toEqual([...times(30, 401), ...times(3, 429)])
  expect((await house.call('GET', '/v1/account', { key: apiKey })).status).toBe(200)

  const refused = await house.call('GET', '/v1/account', { key: UNKNOWN })
  const seconds = Number(refused.headers.get('retry-after'))
  doors.pass((seconds - 5) * 1_000)
  expect(await guess(house, 1)).toEqual([429])
  doors.pass(5_000)
  expect(await guess(house, 1)).toEqual([401])
  await house.close()
})

test('callers on this machine are exempt in the sandbox only', async () => {
  const house = await openTestHouse({ sandbox: true })
  expect(await guess(house, 40)).toEqual(times(40, 401))
  await house.close()
})

test('X-Forwarded-For of a stranger counts for nothing', async () => {
  const house = await openTestHouse({ sandbox: false })
  const statuses: number[] = []
  for (let i = 0; i < 31; i += 1) {
    statuses.push(...(await guess(house, 1, from(`203.0.113.${i}`))))
  }
  expect(statuses).toEqual([...times(30, 401), 429])
  await house.close()
})

test('behind a trusted proxy each client is counted, by the address the proxy saw', async () => {
  const house = await openTestHouse({ sandbox: false, trustedProxies: ['127.0.0.1'] })
  expect(await guess(house, 31, from('203.0.113.1'))).toEqual([...times(30, 401), 429])
  expect(await guess(house, 1, from('203.0.113.2'))).toEqual([401])
  // What the client itself wrote stands to the left of what the proxy added, and is not believed.
  expect(await guess(house, 1, from('198.51.100.7, 203.0.113.1'))).toEqual([429])
  await house.close()
})

test('an IPv6 client is its /64', async () => {
  const house = await openTestHouse({ sandbox: false, trustedProxies: ['127.0.0.1'] })
  const statuses: number[] = []
  for (let i = 0; i < 31; i += 1) {
    statuses.push(...(await guess(house, 1, from(`2001:db8:0:1::${i.toString(16)}`))))
  }
  expect(statuses).toEqual([...times(30, 401), 429])
  expect(await guess(house, 1, from('2001:db8::1:ffff:ffff:ffff:ffff'))).toEqual([429])
  expect(await guess(house, 1, from('2001:db8:0:2::1'))).toEqual([401])
  await house.close()
})
