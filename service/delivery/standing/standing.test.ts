import type { Devnet } from '@ergon/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fakeMarketplace } from '../../../proof/testing/fakeMarketplace.ts'
import { type Market, openMarket } from '../../../proof/testing/market.ts'
import { openDevnet } from '../../../proof/testing/world.ts'

let devnet: Devnet
let market: Market
beforeAll(async () => {
  devnet = await openDevnet()
  market = await openMarket({
    devnet,
    marketplaces: [fakeMarketplace(devnet, { name: 'bazaar', key: 9 })],
  })
})
afterAll(async () => {
  await market.close()
  await devnet.close()
})

test('there is room for an address when all of its Energy and one per cent can be delegated', async () => {
  const { standing } = market.rooms.delivery
  await market.provider({ capacity: 132_310 })
  expect(standing.room()).toBe('room')
  await market.provider({ capacity: 132_309 })
  expect(standing.room()).toBe('full')
  await market.provider({ behaviour: 'down' })
  expect(standing.room()).toBe('unreachable')
})

test('what a marketplace has on offer is no room: cover comes from own stake', async () => {
  await market.provider({ behaviour: 'ok', capacity: 1_000 })
  await market.rooms.providers.refresh()
  const offers = market.rooms.providers.offers()
  expect(offers.find(({ provider }) => provider === 'bazaar')!.capacity).toBe(4_000_000n)
  expect(market.rooms.delivery.standing.room()).toBe('full')
})
