import { toBase58, toHex } from '@ergon/tron'
import { TronWeb } from 'tronweb'
import type { TestAccount } from './app.ts'
import { type Market, openMarket } from './market.ts'
import { SOLID_LAG } from './solidLag.ts'
import { until } from './until.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the contract says is there
type Body = any

/** A market with AutoEnergy, and wallets whose transfers it covers. */
export type Coverage = Market & {
  mine(blocks?: number): void
  /** A funded wallet that no other test of the file uses. */
  wallet(): Wallet
  /** A wallet with USDT and this much SUN of its own. */
  poorWallet(sun: number): Promise<Wallet>
  subscribe(account: TestAccount, wallet: Wallet, body?: Body): Promise<Body>
  /** Subscribes the wallet and mines until the subscription is active. */
  cover(account: TestAccount, wallet: Wallet, body?: Body): Promise<Body>
  read(account: TestAccount, wallet: Wallet, rest?: string): Promise<Body>
  act(account: TestAccount, wallet: Wallet, verb: 'close' | 'reactivate'): Promise<Body>
  /** Mines until the subscription has the wanted fields. */
  become(account: TestAccount, wallet: Wallet, wanted: Record<string, unknown>): Promise<Body>
  /** Mines until the subscription is closed and its Energy reclaimed. */
  reclaimed(wallet: Wallet): Promise<void>
  energy(wallet: Wallet): Promise<{ limit: bigint; used: bigint; available: bigint }>
  whole(wallet: Wallet): Promise<void>
  events(account: TestAccount, type: string): Promise<Body[]>
  /** The account's ledger amounts, oldest first, without deposits. */
  entries(account: TestAccount): Promise<{ kind: string; amount: number }[]>
}

export type Wallet = {
  address: string
  /** USDT to an address that holds some (64,285 Energy) or none (130,285); not mined yet. */
  sendUsdt(to: string, options?: { feeLimit?: number }): Promise<string>
  tronWeb: TronWeb
}

const SUBSCRIPTIONS = '/v1/autoenergy/subscriptions'

export async function openCoverage(
  options: Parameters<typeof openMarket>[0] = {},
): Promise<Coverage> {
  const market = await openMarket(options)
  const { chain } = market.devnet
  const mine = (blocks = 1) => {
    for (let block = 0; block < blocks; block++) chain.mine()
  }
  const usdt = toBase58(chain.network.usdt)
  let taken = 0
  const call = async (method: string, { api_key: key }: TestAccount, path: string, body?: Body) =>
    market.call(method, SUBSCRIPTIONS + path, { key, body })
  const read = async (account: TestAccount, { address }: Wallet, rest = '') =>
    (await call('GET', account, `/${address}${rest}`)).body
  const become: Coverage['become'] = (account, wallet, wanted) =>
    until(`${JSON.stringify(wanted)}`, async () => {
      const now = await read(account, wallet)
      if (Object.entries(wanted).every(([name, value]) => now[name] === value)) return now
      await market.mineWhenRead()
      return false
    })
  const energy = async ({ address }: Wallet) => {
    const found = await market.rooms.chain.node.getAccountResource(toHex(address))
    const [limit, used] = [found?.energyLimit ?? 0n, found?.energyUsed ?? 0n]
    return { limit, used, available: limit - used }
  }
  const subscribe: Coverage['subscribe'] = (account, { address }, body = {}) =>
    call('POST', account, '', { address, ...body })
  return {
    ...market,
    mine,
    read,
    become,
    energy,
    subscribe,
    wallet() {
      const { address, privateKey } = chain.network.funded[taken++]!
      return openWallet(market, { address: toBase58(address), privateKey, usdt })
    },
    async poorWallet(sun) {
      const { address, privateKey } = await TronWeb.createAccount()
      const [to, from] = [address.base58, market.receivers.at(-1)]
      const pay = (path: string, body: Body) =>
        market.call('POST', `/sandbox/chain/${path}`, { body: { from, to, ...body } })
      await pay('transfer', { amount_sun: sun })
      await pay('usdt', { amount: 10_000_000 })
      // Only an activation in a solid block is believed.
      mine(SOLID_LAG + 1)
      return openWallet(market, { address: to, privateKey, usdt })
    },
    async cover(account, wallet, body) {
      const made = await subscribe(account, wallet, body)
      if (made.status !== 201) throw new Error(`not subscribed: ${made.text}`)
      return become(account, wallet, { status: 'active' })
    },
    act: (account, { address }, verb) => call('POST', account, `/${address}/${verb}`),
    async reclaimed({ address }) {
      await until('the Energy is back', async () => {
        const rows = await market.database.sql(
          `select from autoenergy.subscription where address = $1 and live`,
          [address],
        )
        if (rows.length === 0) return true
        await market.mineWhenRead()
        return false
      })
    },
    async whole(wallet) {
      await until('the Energy is whole again', async () => {
        if ((await energy(wallet)).available >= 131_000n) return true
        await market.mineWhenRead()
        return false
      })
    },
    events: (account, type) =>
      market.database.sql(
        `select data from events.event where account_id = $1 and type = $2 order by created_at, id`,
        [account.account_id, type],
      ),
    entries: (account) =>
      market.database.sql(
        `select kind, (case when credit = 'client' then amount_sun else -amount_sun end)::int as amount
           from ledger.movement where client_id = $1 and kind <> 'deposit' order by version`,
        [account.account_id],
      ),
  }
}

function openWallet(
  market: Market,
  { address, privateKey, usdt }: { address: string; privateKey: string; usdt: string },
): Wallet {
  const tronWeb = new TronWeb({ fullHost: market.devnet.url, privateKey })
  return {
    address,
    tronWeb,
    async sendUsdt(to, { feeLimit = 100_000_000 } = {}) {
      const parameter = [
        { type: 'address', value: to },
        { type: 'uint256', value: 1_000_000 },
      ]
      const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
        usdt,
        'transfer(address,uint256)',
        { feeLimit },
        parameter,
      )
      const sent = await tronWeb.trx.sendRawTransaction(await tronWeb.trx.sign(transaction))
      return sent.transaction.txID
    },
  }
}

/** An address that was never used, so it holds no USDT. */
export async function newcomer(): Promise<string> {
  return (await TronWeb.createAccount()).address.base58
}
