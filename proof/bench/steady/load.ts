import { setTimeout as pause } from 'node:timers/promises'
import type { SandboxFile } from '../../../service/app/sandbox.ts'

const BUYERS = 5
const COVERED = 3
const DEPOSIT_TRX = '9000'
const TOP_UP_SUN = 2_000_000_000
/** Milliseconds between two of each. */
const EVERY_MS = { purchase: 500, read: 100, transfer: 2_000, payment: 3_000, topUp: 240_000 }
const BASE_SUN = 12_000_000
const POLL_MS = 200

type Answer = Record<string, string>
type Account = { api_key: string; deposit_address: string }

export type Load = {
  counted: {
    purchases: number
    reads: number
    transfers: number
    payments: number
  }
  /** What was not done, by the status and the code of the answer. */
  refused: Record<string, number>
  /** Milliseconds of the answers to purchases since the last look. */
  took(): number[]
  stop(): Promise<void>
}

/** Clients of every kind, each at its own even pace. They stop with the load. */
export async function startLoad(sandbox: SandboxFile): Promise<Load> {
  const { base_url, sandbox_url, funded_keys } = sandbox
  const counted = { purchases: 0, reads: 0, transfers: 0, payments: 0 }
  const refused: Record<string, number> = {}
  const stopping = new AbortController()
  let times: number[] = []
  const wallets = funded_keys.map(({ address }) => address)
  const buyers = await Promise.all(Array.from({ length: BUYERS }, () => openAccount(sandbox)))
  const [first] = buyers as [Account]
  await watchFirst(sandbox, first)
  const covered = wallets.slice(0, COVERED)
  for (const address of covered) {
    await ask(`${base_url}/autoenergy/subscriptions`, first.api_key, { address, idle_hours: 72 })
  }
  const config = await ask(`${base_url}/agent/configs`, first.api_key, {
    mode: 'generated',
    energy_per_unit: 65_000,
    base_payment_sun: BASE_SUN,
    max_units: 1,
  })
  let turn = 0
  const next = <T>(list: readonly T[]) => list[turn++ % list.length]!
  const lastOrders: { id: string; key: string }[] = []

  async function purchase() {
    const { api_key } = next(buyers)
    const began = performance.now()
    const wish = { receiver_address: next(wallets.slice(COVERED, -1)), resource_amount: 65_000 }
    const { order_id } = await ask(`${base_url}/buy`, api_key, wish)
    times.push(performance.now() - began)
    counted.purchases += 1
    lastOrders.push({ id: order_id!, key: api_key })
    if (lastOrders.length > 100) lastOrders.shift()
  }
  async function read() {
    const order = next(lastOrders)
    const paths = order
      ? ['/account', '/orders', '/transactions', `/order/${order.id}`]
      : ['/account']
    await ask(base_url + next(paths), order?.key ?? first.api_key)
    counted.reads += 1
  }
  async function transfer() {
    await ask(`${sandbox_url}/chain/usdt`, '', {
      from: next(covered),
      to: wallets.at(-2),
      amount: 1_000_000,
    })
    counted.transfers += 1
  }
  async function payment() {
    const from = next(wallets.slice(COVERED, -1))
    await ask(`${sandbox_url}/chain/transfer`, '', {
      from,
      to: config.address,
      amount_sun: BASE_SUN,
    })
    counted.payments += 1
  }
  async function topUp() {
    for (const { deposit_address: to } of buyers) {
      await ask(`${sandbox_url}/faucet`, '', { to, amount_sun: TOP_UP_SUN })
    }
  }

  /** The next is not sent before the last is answered: a service that stalls is not flooded. */
  async function keepDoing(everyMs: number, work: () => Promise<void>) {
    while (!stopping.signal.aborted) {
      await work().catch((error: Error) => {
        const why = kindOf(error)
        refused[why] = (refused[why] ?? 0) + 1
      })
      await pause(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const clients = Object.entries({ purchase, read, transfer, payment, topUp }).map(([name, work]) =>
    keepDoing(EVERY_MS[name as keyof typeof EVERY_MS], work),
  )
  return {
    counted,
    refused,
    took() {
      const taken = times
      times = []
      return taken
    },
    async stop() {
      stopping.abort()
      await Promise.all(clients)
    },
  }
}

async function openAccount({ base_url, sandbox_url }: SandboxFile): Promise<Account> {
  const made = await ask(`${sandbox_url}/accounts`, '', { deposit_trx: DEPOSIT_TRX })
  const account = made as Account
  for (;;) {
    const { balance_trx } = await ask(`${base_url}/account`, account.api_key)
    if (balance_trx !== '0') return account
    await pause(POLL_MS)
  }
}

/** A webhook of the first account, with every event, to a receiver on this machine. */
async function watchFirst({ base_url, sandbox_url }: SandboxFile, { api_key }: Account) {
  const { url } = await ask(`${sandbox_url}/webhook-sink`, '', {})
  const events = { 'balance.changed': true, 'account.daily_summary': true }
  for (;;) {
    try {
      await ask(`${base_url}/webhooks`, api_key, { name: 'steady', url, events })
      return
    } catch (error) {
      // Its deposit has to be confirmed.
      if (!String(error).includes('deposit_required')) throw error
      await pause(POLL_MS)
    }
  }
}

export async function ask(url: string, key: string, body?: object): Promise<Answer> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) })
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Answer
}

/** Without what differs from one refusal to the next. */
function kindOf({ message }: Error): string {
  const [, path = '', status = '', body = ''] = /:\d+(\/\S+): (\d+) (.*)/s.exec(message) ?? []
  const code = /"(?:code|error|detail)":"([^"]*)"/.exec(body)?.[1] ?? body.slice(0, 80)
  return status ? `${path.replaceAll(/[0-9a-f-]{36}/g, '{id}')} ${status} ${code}` : message
}
