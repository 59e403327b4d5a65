import { randomUUID } from 'node:crypto'
import {
  type Behaviour,
  type Devnet,
  type MarketplaceName,
  type OpenMarketplace,
  openMarketplace,
} from '@ergon/devnet'
import { createNodeClient, type HexAddress } from '@ergon/tron'
import { type Clock, systemClock } from '../../service/kernel/index.ts'
import {
  createMarketplaces,
  type MarketOrder,
  type Marketplace,
} from '../../service/providers/index.ts'

/** A stand-in of a marketplace on a devnet, and our adapter connected to it over HTTP. */
export type StandIn = OpenMarketplace & {
  adapter: Marketplace
  /** Another adapter for it, with a shorter timeout, another clock or other credentials. */
  adapterWith(how: {
    timeoutMs?: number
    clock?: Clock
    fetch?: typeof fetch
    key?: string
    secret?: string
  }): Marketplace
  script(body: {
    behaviour?: Behaviour
    price_sun?: number
    delay_ms?: number
    capacity?: number | null
  }): Promise<void>
  /** An order for an address that has nothing from this marketplace yet. */
  order(change?: Partial<MarketOrder>): MarketOrder
  /** Energy that the stand-in has delegated to the receiver, read from the chain. */
  energyAt(receiver: HexAddress): Promise<bigint>
}

export async function openStandIn(devnet: Devnet, name: MarketplaceName): Promise<StandIn> {
  const open = await openMarketplace(name, { nodeUrl: devnet.url, pollMs: 20 })
  const node = createNodeClient({
    urls: [devnet.url],
    timeoutMs: 10_000,
    staleAfterMs: Number.MAX_SAFE_INTEGER,
  })
  const { url, key, secret } = open
  const adapterWith: StandIn['adapterWith'] = (how) => {
    const { timeoutMs, clock = systemClock(), fetch: call, ...other } = how
    const outside = {
      clock,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(call && { fetch: call }),
    }
    return createMarketplaces([{ name, url, key, secret, ...other }], outside)[0]!
  }
  const receivers = devnet.chain.network.funded.map(({ address }) => address)
  let asked = 0
  return {
    ...open,
    adapter: adapterWith({}),
    adapterWith,
    async script(body) {
      const answer = await fetch(open.controlUrl, { method: 'POST', body: JSON.stringify(body) })
      if (!answer.ok) throw new Error(await answer.text())
    },
    order: (change = {}) => ({
      reference: randomUUID(),
      receiver: receivers[asked++ % receivers.length]!,
      energy: 65_000n,
      unitPrice: open.market.script().unitPrice,
      writtenAt: new Date(),
      ...change,
    }),
    async energyAt(receiver) {
      const lent = await node.getDelegatedResourceV2(open.market.delegator, receiver)
      const stake = lent.reduce((sum, { balanceForEnergy }) => sum + balanceForEnergy, 0n)
      const { totalEnergyLimit, totalEnergyWeight } = (await node.getAccountResource(receiver))!
      return (stake * totalEnergyLimit) / (totalEnergyWeight * 1_000_000n)
    },
  }
}
