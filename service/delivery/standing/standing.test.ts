import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Market, openMarket } from '../../../proof/testing/market.ts'

let market: Market
beforeAll(async () => {
  market = await openMarket()
})
afterAll(() => market.close())

test('there is room for an address when all of its Energy and one per cent can be delegated', async () => {
  const { standing } = market.rooms.delivery
  await market.provider({ capacity: 132_310 })
  expect(standing.room()).toBe('room')
  await market.provider({ capacity: 132_309 })
  expect(standing.room()).toBe('full')
  await market.provider({ behaviour: 'down' })
  expect(standing.room()).toBe('unreachable')
})
