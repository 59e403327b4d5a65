import type { NodeClient } from '@ergon/tron'
import { marketplaceKeys } from '../chain/networkKeys.ts'
import { catfee } from './catfee/index.ts'
import { createDelegator } from './delegator.ts'
import type { Dialect, MarketplaceName } from './dialect.ts'
import { itrx } from './itrx/index.ts'
import { createMarket, type Market } from './market.ts'
import type { Order } from './order.ts'
import { createTopUps } from './topUps.ts'
import { tronsave } from './tronsave/index.ts'
import { tronzap } from './tronzap/index.ts'

const dialects: Record<MarketplaceName, Dialect> = { catfee, itrx, tronsave, tronzap }

export const marketplaceNames = Object.keys(dialects) as MarketplaceName[]

export type StandInOptions = {
  node: NodeClient
  now(): number
  /** What clients have to show; the published test values by default. */
  key?: string | undefined
  secret?: string | undefined
  /** Private key of the staked account it delegates from; by default its own of the devnet. */
  stakeKey?: string | undefined
  /** Whether a search finds an order; by default every one. */
  isListed?: (order: Order) => boolean
  /** Whether TRX sent to the deposit address are credited. */
  takesTopUps?: boolean
}

export type StandIn = { dialect: Dialect; market: Market }

/** A marketplace without a socket: `dialect.answer` is all that a client ever gets from it. */
export function createStandIn(name: MarketplaceName, options: StandInOptions): StandIn {
  const dialect = dialects[name]
  const key = options.stakeKey ?? marketplaceKeys[name].privateKey
  const delegator = createDelegator(options.node, key)
  const market = createMarket({
    access: {
      key: options.key ?? `sandbox-${name}-key`,
      secret: options.secret ?? `sandbox-${name}-secret`,
    },
    delegator,
    script: {
      behaviour: 'ok',
      unitPrice: dialect.unitPrice,
      delayMs: 0,
      room: undefined,
      statement: 'ok',
      topUp: 'credited',
    },
    ...(options.takesTopUps && { topUps: createTopUps(options.node, delegator.owner) }),
    newId: dialect.newId,
    wallMs: options.now,
    ...(options.isListed && { isListed: options.isListed }),
  })
  // What was sent is in the balance before anybody is told of it.
  const answer: Dialect['answer'] = async (request, asked) => {
    await asked.collect()
    return dialect.answer(request, asked)
  }
  return { dialect: options.takesTopUps ? { ...dialect, answer } : dialect, market }
}
