import type { Refusal } from '@ergon/contract'
import type { Addresses } from '../addresses/index.ts'
import type { Chain, OnBlock, OnOrphan } from '../chain/index.ts'
import type { Db } from '../db/index.ts'
import type { Deposits } from '../deposits/index.ts'
import type { Events } from '../events/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { OnFinal, Orders } from '../orders/index.ts'
import type { Pricing, Terms } from '../pricing/index.ts'
import { writeTerms } from './agent.sql.ts'
import type { Config } from './config.ts'
import type { AgentTerms } from './configs.sql.ts'
import { type Configs, createConfigs } from './configs.ts'
import { type ConfigWish, createCreating } from './create.ts'
import { PAYMENTS_TO_DECIDE, PAYMENTS_TO_FINISH } from './due.sql.ts'
import { createLive, type Live } from './live.ts'
import { createPayerCheck } from './payer.ts'
import { createDeciding } from './payments/decide.ts'
import { createDeliver, type Deliver } from './payments/deliver.ts'
import { createFinishing } from './payments/finish.ts'
import { createReceiving } from './payments/receive.ts'
import { createReads, type Reads } from './reads.ts'
import { type AtRisk, createPriceWatch, riskUnder } from './watchPrices.ts'

export type Agent = {
  create(account: string, wish: ConfigWish): Promise<Config | Refusal>
  configs: Configs
  reads: Reads
  /** Sells a payment that was skipped. */
  deliver: Deliver
  /** Whether Energy could go to the address that wants to pay. */
  checkPayer: ReturnType<typeof createPayerCheck>
  /** For customers who follow their payments. */
  live: Live
  changeTerms(change: Partial<AgentTerms>): Promise<AgentTerms>
  /** Configurations whose base payment would be too low, or whose unit could not be ordered, under other terms. */
  riskUnder(terms: Terms): Promise<AtRisk[]>
  onBlock: OnBlock
  onOrphan: OnOrphan
  onFinal: OnFinal
  loops: Loop[]
}

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  addresses: Addresses
  chain: Chain
  deposits: Deposits
  events: Events
  ledger: Ledger
  orders: Orders
  pricing: Pricing
  referralCodeOf(account: string): string | Promise<string>
}

export function createAgent(deps: Deps): Agent {
  const { db, runtime, log } = deps
  const { clock } = runtime
  const configs = createConfigs(deps)
  const deciding = createDeciding(deps)
  const finishing = createFinishing(deps)
  const decide = createLoop({
    name: 'agent.decide',
    everyMs: 250,
    due: PAYMENTS_TO_DECIDE,
    log,
    work: deciding.decideDue,
  })
  const finish = createLoop({
    name: 'agent.finish',
    everyMs: 1_000,
    due: PAYMENTS_TO_FINISH,
    log,
    work: finishing.finish,
  })
  const watchPrices = createLoop({
    name: 'agent.watchPrices',
    everyMs: 1_000,
    log,
    work: createPriceWatch({ ...deps, clock }),
  })
  return {
    create: createCreating({ ...deps, configs }),
    configs,
    checkPayer: createPayerCheck(deps),
    reads: createReads(deps),
    deliver: createDeliver(deps),
    live: createLive({ ...deps, clock }),
    riskUnder: (terms) => riskUnder(deps, terms),
    async changeTerms(change) {
      const after = { ...(await configs.terms()), ...change }
      const { enabled, minBalance, maxConfigs, maxGenerated, maxUnitsCap } = after
      await db.query(writeTerms, [enabled, minBalance, maxConfigs, maxGenerated, maxUnitsCap])
      return after
    },
    ...createReceiving(deps),
    onFinal: finishing.onFinal,
    loops: [decide, finish, watchPrices],
  }
}
