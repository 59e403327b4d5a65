import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRefusal } from '@ergon/contract'
import type { Devnet } from '@ergon/devnet'
import { toBase58 } from '@ergon/tron'
import pg from 'pg'
import { utils } from 'tronweb'
import { ensureDatabase, migrate, startPostgres } from '../../service/db/index.ts'
import { silentLog, systemDoors } from '../../service/kernel/index.ts'
import { type House, openHouse } from '../../service/main/house.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/main/sandboxNetwork.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { openDevnet, openSigner } from '../testing/world.ts'

// node proof/bench/agentPayments.ts
// 1,000 configurations, 200 payments in one block: all decided before the next block comes.

const ACCOUNTS = 50
const CONFIGS_EACH = 20
const PAYMENTS = 200
const ROUNDS = 5
const BLOCK_MS = 3_000
const BASE = 9_000_000n

const folder = mkdtempSync(join(tmpdir(), 'ergon-bench-'))
const postgres = await startPostgres({ folder })
await ensureDatabase(postgres)
await migrate(postgres.url('ergon_admin'))
const devnet = await openDevnet()
// Only what is on offer is sold, and own stake is on offer where there is a signer.
const signer = await openSigner(postgres.url('ergon_signer'))
const house = await openHouse({
  databaseUrls: [postgres.url('ergon_app')],
  host: '127.0.0.1',
  port: 0,
  metricsPort: null,
  trustedProxies: [],
  role: 'all',
  nodeUrls: [devnet.url],
  nodeApiKey: '',
  scanMs: 100,
  depositXpub: SANDBOX_DEPOSIT_XPUB,
  webhooks: { secretsKey: new Uint8Array(32) },
  wakeSigner: signer.wake,
  doors: systemDoors(),
  log: silentLog,
  sandbox: { devnetUrl: devnet.url, solidLag: SOLID_LAG },
})
const admin = new pg.Client({ connectionString: postgres.url('ergon_admin') })
await admin.connect()
try {
  await measure(house, devnet)
} finally {
  await admin.end()
  await house.close()
  await signer.stop()
  await devnet.close()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measure({ url, rooms }: House, { chain }: Devnet) {
  const addresses = await plant(url, rooms)
  await waitFor(async () => {
    await rooms.providers.refresh()
    return rooms.providers.offers().length > 0
  })
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (let payment = 0; payment < PAYMENTS; payment++) {
      const funded = chain.network.funded[payment % chain.network.funded.length]!
      const to = addresses[(round * PAYMENTS + payment) % addresses.length]!
      await post(url, '/chain/transfer', {
        from: toBase58(funded.address),
        to,
        amount_sun: Number(BASE) + payment,
      })
    }
    const start = performance.now()
    chain.mine()
    await waitFor(async () => (await decided()) === (round + 1) * PAYMENTS)
    rounds.push(performance.now() - start)
  }
  const { rows } = await admin.query(
    `select status, count(*)::int as count from agent.payment group by status order by status`,
  )
  const sold = rows.filter(({ status }) => status !== 'skipped')
  if (sold.reduce((sum, { count }) => sum + count, 0) !== PAYMENTS * ROUNDS) {
    throw new Error(`not all were sold: ${JSON.stringify(rows)}`)
  }
  const sorted = rounds.toSorted((a, b) => a - b)
  const [median, worst] = [sorted[Math.floor(ROUNDS / 2)]!, sorted.at(-1)!]
  const isReached = worst < BLOCK_MS
  console.log(
    `${isReached ? 'ok   ' : 'SHORT'}  ${PAYMENTS} payments in a block, ${addresses.length} configurations, from the block to the last decision: median ${median.toFixed(0)} ms, worst of ${ROUNDS} ${worst.toFixed(0)} ms (must ${BLOCK_MS} ms)`,
  )
  process.exitCode = isReached ? 0 : 1
}

async function decided(): Promise<number> {
  const { rows } = await admin.query(
    `select count(*)::int as count from agent.payment where status <> 'processing'`,
  )
  return rows[0].count
}

/** Accounts with money and configurations with wallets of their own; says where they are paid. */
async function plant(url: string, { agent, ledger }: House['rooms']): Promise<string[]> {
  const addresses: string[] = []
  for (let count = 0; count < ACCOUNTS; count++) {
    const { account_id } = await post(url, '/accounts', { deposit_trx: '500' })
    devnet.chain.mine()
    await waitFor(async () => (await ledger.balanceOf(account_id)).balance > 0n)
    for (let config = 0; config < CONFIGS_EACH; config++) {
      const made = await agent.create(account_id, {
        mode: 'own',
        address: utils.accounts.generateAccount().address.base58,
        title: '',
        energyPerUnit: 65_000n,
        basePayment: BASE,
        maxUnits: 3n,
        ownershipSignature: undefined,
      })
      if (isRefusal(made)) throw new Error(made.refused)
      addresses.push(made.address)
    }
  }
  return addresses
}

async function post(url: string, path: string, body: unknown) {
  const answer = await fetch(`${url}/sandbox${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  return (await answer.json()) as { account_id: string }
}

async function waitFor(condition: () => Promise<boolean>) {
  const deadline = performance.now() + 60_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('waited a minute in vain')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
