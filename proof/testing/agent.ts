import { toBase58 } from '@ergon/tron'
import { utils } from 'tronweb'
import type { Answer, TestAccount } from './app.ts'
import { flatSchedule, type Market, openMarket } from './market.ts'
import { until } from './until.ts'

/** Agents and their customers, on a market whose Energy costs 30 SUN at any hour. */
export type AgentMarket = Market & {
  agent(account: TestAccount, method: string, path: string, body?: unknown): Promise<Answer>
  /** Creates a configuration and returns the answer. Each own wallet is used once per run. */
  newConfig(account: TestAccount, body?: Record<string, unknown>): Promise<AgentConfig>
  pay(config: AgentConfig, amountSun: number, payer?: number): Promise<string>
  mine(blocks?: number): void
  /** The payment of a transfer, once it has the given status. */
  payment(account: TestAccount, txid: string, status?: string): Promise<AgentPayment>
  events(account: TestAccount, type: string): Promise<Record<string, unknown>[]>
  freshWallet(): string
}

export type AgentConfig = {
  id: string
  public_id: string
  address: string
  status: string
  pause_reason: string | null
  stats: Record<string, number | string | null>
}
export type AgentPayment = Record<string, string | number | boolean | null> & { id: string }

/** 65,000 Energy at 30 SUN. */
export const COST_65K = 1_950_000
export const BASE = 3_000_000

export const offer = {
  energy_per_unit: 65_000,
  base_payment_sun: BASE,
  max_units: 3,
}

export async function openAgentMarket(
  options: Parameters<typeof openMarket>[0] = {},
): Promise<AgentMarket> {
  const market = await openMarket(options)
  await market.settings({ schedule: flatSchedule(30) })
  const agent = (account: TestAccount, method: string, path: string, body?: unknown) =>
    market.call(method, `/v1/agent${path}`, { key: account.api_key, body })
  const freshWallet = () => utils.accounts.generateAccount().address.base58
  return {
    ...market,
    agent,
    freshWallet,
    async newConfig(account, body = {}) {
      const address = freshWallet()
      const answer = await agent(account, 'POST', '/configs', {
        mode: 'own',
        address,
        ...offer,
        ...body,
      })
      if (answer.status !== 201) throw new Error(`no configuration: ${answer.text}`)
      return answer.body
    },
    async pay(config, amountSun, payer = 0) {
      const from = toBase58(market.devnet.chain.network.funded[payer]!.address)
      const body = { from, to: config.address, amount_sun: amountSun }
      const answer = await market.call('POST', '/sandbox/chain/transfer', { body })
      if (answer.status !== 200) throw new Error(`not paid: ${answer.text}`)
      return answer.body.txid
    },
    mine(blocks = 1) {
      for (let block = 0; block < blocks; block++) market.devnet.chain.mine()
    },
    payment: (account, txid, status) =>
      until(`payment ${status ?? 'seen'}`, async () => {
        const { body } = await agent(account, 'GET', '/payments?page_size=100')
        return body.items.find(
          (item: AgentPayment) =>
            item.tx_hash === txid && (status === undefined || item.status === status),
        )
      }),
    async events(account, type) {
      const rows = await market.database.sql<{ data: Record<string, unknown> }>(
        `select data from events.event where account_id = $1 and type = $2 order by created_at, id`,
        [account.account_id, type],
      )
      return rows.map(({ data }) => data)
    },
  }
}
