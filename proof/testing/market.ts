import { toBase58 } from '@ergon/tron'
import { type Answer, openTestApp, type TestAccount, type TestApp } from './app.ts'
import { until } from './until.ts'

/** A service that sells: the signer runs and own stake is on offer. */
export type Market = TestApp & {
  /** An account with a credited deposit of this many TRX. */
  fundedAccount(trx: string, body?: Record<string, unknown>): Promise<TestAccount>
  /** Activated addresses that can receive Energy. */
  receivers: string[]
  buy(account: TestAccount, want?: Want): Promise<Answer>
  get(account: TestAccount, path: string): Promise<Answer>
  balanceSun(account: TestAccount): Promise<bigint>
  settings(body: Record<string, unknown>): Promise<void>
  provider(body: Record<string, unknown>): Promise<void>
  advance(seconds: number): Promise<void>
}

type Want = { body?: Record<string, unknown>; key?: string; headers?: Record<string, string> }

type MarketOptions = Parameters<typeof openTestApp>[0]

export async function openMarket(options: MarketOptions = {}): Promise<Market> {
  const app = await openTestApp({ signer: true, ...options })
  await untilOffered(app)
  const receivers = app.devnet.chain.network.funded.map(({ address }) => toBase58(address))
  const sandbox = async (path: string, body: Record<string, unknown>) => {
    const answer = await app.call('POST', `/sandbox${path}`, { body })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
  }
  const balanceSun = async (account: TestAccount) =>
    (await app.rooms.ledger.balanceOf(account.account_id)).balance
  return {
    ...app,
    receivers,
    balanceSun,
    async fundedAccount(trx, body = {}) {
      const account = await app.newAccount({ deposit_trx: trx, ...body })
      app.devnet.chain.mine()
      await until('the deposit', async () => (await balanceSun(account)) > 0n)
      return account
    },
    buy: (account, { body = {}, key, headers = {} } = {}) =>
      app.call('POST', '/v1/buy', {
        key: account.api_key,
        body: { receiver_address: receivers[1], resource_amount: 65_000, ...body },
        headers: { ...(key !== undefined && { 'idempotency-key': key }), ...headers },
      }),
    get: (account, path) => app.call('GET', `/v1${path}`, { key: account.api_key }),
    settings: (body) => sandbox('/settings', body),
    provider: (body) => sandbox('/providers/own_stake', body),
    advance: (seconds) => sandbox('/clock', { advance_seconds: seconds }),
  }
}

async function untilOffered(app: TestApp) {
  await until('an offer', async () => {
    await app.rooms.providers.refresh()
    const behind = app.rooms.chain.lag.behind()
    const isBehind = behind !== undefined && behind.reason !== 'recovery'
    return app.rooms.providers.offers().length > 0 && !isBehind
  })
}

/** Links a wallet as the workspace does, without its owner's signature. */
export async function linkWallet(app: TestApp, account: TestAccount, wallet: string) {
  await app.rooms.accounts.linkWallet(account.account_id, wallet)
}

/** One price for every hour, so that a test does not depend on when it runs. */
export function flatSchedule(unitPriceSun: number): number[] {
  return Array(24).fill(unitPriceSun)
}
