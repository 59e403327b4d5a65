import { createHash } from 'node:crypto'
import { type Chain, startDevnet } from '@ergon/devnet'
import {
  addressOfPrivateKey,
  buildTransaction,
  type Contract,
  sign,
  toBase58,
  toHex,
} from '@ergon/tron'
import { sandboxGenesis } from '../../service/app/sandboxNetwork.ts'
import type { Measured } from './load.ts'
import type { Figure } from './report.ts'
import type { Variant } from './rounds.ts'
import { seedConfigs, seedSubscriptions } from './seedBlocks.ts'
import type { World } from './world.ts'

// One busy block: from its arrival until everything in it is decided, with every loop of the
// service running. The work that follows, delivery and top-ups, competes for the same two
// processors and is part of the measurement.

const SUBSCRIPTIONS = 10_000
const CALLS = 300
const CONFIGS = 1_000
/** The maximum per client; its payments are decided one after the other. */
const OF_ONE = 20
const PAYMENTS = 200
const FEE_LIMIT = 100_000_000n
const PAYMENT = 3_000_000n
const SOLID_LAG = 6
const LOOK_MS = 10
const PATIENCE_MS = 120_000

const billed = `a block with ${CALLS} covered calls, ${SUBSCRIPTIONS} subscriptions: billed`
const decided = `a block with ${PAYMENTS} payments, ${CONFIGS} configurations: decided`
const decidedForOne = `a block with ${PAYMENTS} payments to one client, ${CONFIGS} configurations: decided`

const figure = (name: string): Figure => ({
  figure: name,
  of: name,
  value: 'p95Ms',
  must: 3_000,
  aim: 1_000,
  atMost: true,
})
export const autoenergyFigures = [figure(billed)]
export const agentFigures = [figure(decided), figure(decidedForOne)]

type Wallet = { address: string; privateKey: string }
type Scene = { chain: Chain; world: World; wallets: Wallet[] }

export async function autoenergyVariants(world: World): Promise<Variant[]> {
  const others = Array.from({ length: SUBSCRIPTIONS - CALLS }, (_, n) => strangerAt(`covered ${n}`))
  const { scene, pid } = await open(world, (wallets) => seedSubscriptions(world, wallets, others))
  // The Energy of the callers is really delegated before anything is measured.
  await rest(scene)
  return [{ name: billed, server: pid, run: () => billBlock(scene) }]
}

export async function agentVariants(world: World): Promise<Variant[]> {
  const pages = Array.from({ length: CONFIGS - OF_ONE }, (_, n) => strangerAt(`page ${n}`))
  const ofOne = Array.from({ length: OF_ONE }, (_, n) => strangerAt(`page of one ${n}`))
  const { scene, pid } = await open(world, async () => {
    const [first, ...others] = world.accounts
    await seedConfigs(world, pages, others)
    await seedConfigs(world, ofOne, [first!])
  })
  await rest(scene)
  return [
    { name: decided, server: pid, run: () => decideBlock(scene, pages) },
    { name: decidedForOne, server: pid, run: () => decideBlock(scene, ofOne) },
  ]
}

/** The service on its own chain, with wallets that hold TRX and USDT. */
async function open(world: World, seed: (wallets: string[]) => Promise<void>) {
  const wallets = Array.from({ length: CALLS }, (_, n): Wallet => {
    const privateKey = createHash('sha256').update(`bench wallet ${n}`).digest('hex')
    return { privateKey, address: addressOfPrivateKey(privateKey) }
  })
  const addresses = wallets.map(({ address }) => toBase58(address))
  const money = { balance_sun: 1_000_000_000_000, usdt: 1_000_000_000_000 }
  const accounts = addresses.map((address) => ({ address, ...money }))
  const genesis = { accounts: [...sandboxGenesis.accounts, ...accounts] }
  const devnet = await startDevnet({ genesis, blockMs: 0, solidLag: SOLID_LAG })
  world.onClose(devnet.close)
  const { postgres, admin } = world
  await seed(addresses)
  // Scan this chain from its beginning.
  await admin.query('delete from chain.cursor; delete from chain.head')
  await admin.query('vacuum analyze')
  const urls = [postgres.url('ergon_app'), postgres.url('ergon_signer'), devnet.url]
  const { pid } = await world.start('workerProgram.ts', urls)
  return { scene: { chain: devnet.chain, world, wallets }, pid }
}

function strangerAt(seed: string): string {
  return toBase58(`41${createHash('sha256').update(seed).digest('hex').slice(0, 40)}`)
}

let sent = 0

function send(chain: Chain, { privateKey }: Wallet, contract: Contract): void {
  const { head } = chain
  const timestamp = head.timestamp + sent++
  const built = buildTransaction(contract, { headBlock: head, timestamp, feeLimit: FEE_LIMIT })
  const { txId: txid, raw, rawBytes } = built
  chain.broadcast({ txid, raw, rawBytes, signatures: [sign(txid, privateKey)] })
}

async function billBlock(scene: Scene): Promise<Measured> {
  const { chain, wallets } = scene
  const [holder] = chain.network.funded
  const data = `a9059cbb${holder!.address.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
  for (const wallet of wallets) {
    const value = { owner_address: wallet.address, contract_address: chain.network.usdt, data }
    send(chain, wallet, { type: 'TriggerSmartContract', value })
  }
  return untilDone(scene, CALLS, {
    done: `select count(*)::int as count from autoenergy.call where state = 'billed'`,
  })
}

async function decideBlock(scene: Scene, pages: readonly string[]): Promise<Measured> {
  const { chain, wallets } = scene
  for (let n = 0; n < PAYMENTS; n++) {
    const wallet = wallets[n]!
    const to_address = toHex(pages[(n * 7) % pages.length]!)
    const value = { owner_address: wallet.address, to_address, amount: PAYMENT }
    send(chain, wallet, { type: 'TransferContract', value })
  }
  return untilDone(scene, PAYMENTS, {
    done: `select count(*)::int as count from agent.payment where status in ('delivering', 'completed')`,
  })
}

/**
 * Measures from the block's arrival until `count` more are done; then waits until all work has
 * ended.
 */
async function untilDone(scene: Scene, count: number, { done }: { done: string }) {
  const { chain, world } = scene
  const countDone = async () => (await world.admin.query(done)).rows[0].count as number
  const before = await countDone()
  const block = chain.mine()
  if (block.txids.length !== count) {
    throw new Error(`${block.txids.length} of ${count} in the block`)
  }
  const started = performance.now()
  await waitFor('all is decided', async () => (await countDone()) === before + count)
  const ms = performance.now() - started
  await rest(scene)
  return { count, perSecond: (count * 1_000) / ms, p50Ms: ms, p95Ms: ms, p99Ms: ms }
}

/** Mines until no work is open: orders delivered, Energy whole. */
async function rest({ chain, world }: Scene): Promise<void> {
  await waitFor('everything is at rest', async () => {
    const { rows } = await world.admin.query(`
      select (select count(*) from orders.purchase_order where status in ('PENDING', 'PROCESSING'))
           + (select count(*) from delivery.standing where look or available is null or available < wanted) as open,
             (select number from chain.cursor)::int as number`)
    if (rows[0]?.number === chain.head.number) {
      if (rows[0].open === '0' || rows[0].open === 0n) return true
      chain.mine()
    }
    return false
  })
}

async function waitFor(what: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
