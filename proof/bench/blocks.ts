import { createHash } from 'node:crypto'
import { type Chain, createChain, nodeInProcess } from '@ergon/devnet'
import {
  addressOfPrivateKey,
  buildTransaction,
  type Contract,
  sign,
  toBase58,
  toHex,
} from '@ergon/tron'
import { openDb } from '../../service/db/index.ts'
import { silentLog, systemDoors } from '../../service/kernel/index.ts'
import { createRooms, type Rooms } from '../../service/main/rooms.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/main/sandboxNetwork.ts'
import type { Measured } from './load.ts'
import type { Figure } from './report.ts'
import type { Variant } from './rounds.ts'
import { seedConfigs, seedSubscriptions } from './seedBlocks.ts'
import type { World } from './world.ts'

// One busy block after the other: from the block until everything in it is decided and paid.

export const SUBSCRIPTIONS = 10_000
export const CONFIGS = 1_000
const CALLS = 300
const PAYMENTS = 200
const CONNECTIONS = 20
/** 10 Energy a TRX: enough for every call of a long bench. */
const STAKE_SUN = 20_000_000_000_000
const ENERGY_FEE_LIMIT = 100_000_000n
const PAYMENT = 3_000_000n

const covered = `a block with ${CALLS} covered calls, ${SUBSCRIPTIONS} subscriptions: billed`
const paid = `a block with ${PAYMENTS} payments, ${CONFIGS} configurations: decided`

export const blockFigures: Figure[] = [covered, paid].map((name) => ({
  figure: `${name}, ms`,
  of: name,
  value: 'p95Ms',
  must: 3_000,
  aim: 1_000,
  atMost: true,
}))

type Wallet = { address: string; privateKey: string }

export async function blockVariants(world: World): Promise<Variant[]> {
  const wallets = Array.from({ length: CALLS }, (_, n): Wallet => {
    const privateKey = createHash('sha256').update(`bench wallet ${n}`).digest('hex')
    return { privateKey, address: addressOfPrivateKey(privateKey) }
  })
  const chain = openChain(wallets)
  const doors = systemDoors()
  const urls = [world.postgres.url('ergon_app')]
  const db = await openDb({ urls, connections: CONNECTIONS, doors, log: silentLog, name: 'blocks' })
  const rooms = createRooms({
    db,
    doors,
    log: silentLog,
    nodeUrls: [],
    nodeApiKey: '',
    node: nodeInProcess(() => chain),
    scanMs: 0,
    depositXpub: SANDBOX_DEPOSIT_XPUB,
    webhooks: { secretsKey: new Uint8Array(32) },
    wakeSigner() {},
  })
  world.onClose(() => db.close())
  await rooms.events.prepare()
  await rooms.pricing.refresh()
  await rooms.providers.readLoop.runOnce()
  await rooms.chain.scanLoop.runOnce()
  const others = Array.from({ length: SUBSCRIPTIONS - CALLS }, (_, n) => strangerAt(`covered ${n}`))
  await seedSubscriptions(world, [...wallets.map(({ address }) => toBase58(address)), ...others])
  const pages = Array.from({ length: CONFIGS }, (_, n) => strangerAt(`page ${n}`))
  await seedConfigs(world, pages)
  await world.admin.query('vacuum analyze')
  const scene = { chain, rooms, world }
  return [
    { name: covered, server: process.pid, run: () => billBlock(scene, wallets) },
    { name: paid, server: process.pid, run: () => decideBlock(scene, wallets, pages) },
  ]
}

function openChain(wallets: readonly Wallet[]): Chain {
  const accounts = wallets.map(({ address }) => ({
    address: toBase58(address),
    balance_sun: 1_000_000_000_000,
    usdt: 1_000_000_000_000,
    frozen_energy_sun: STAKE_SUN,
    frozen_bandwidth_sun: STAKE_SUN,
  }))
  return createChain({ genesis: { accounts }, solidLag: 1, now: () => Date.now() })
}

function strangerAt(seed: string): string {
  return toBase58(`41${createHash('sha256').update(seed).digest('hex').slice(0, 40)}`)
}

type Scene = { chain: Chain; rooms: Rooms; world: World }

let sent = 0

function send(chain: Chain, { privateKey }: Wallet, contract: Contract): void {
  const { head } = chain
  const timestamp = head.timestamp + sent++
  const built = buildTransaction(contract, {
    headBlock: head,
    timestamp,
    feeLimit: ENERGY_FEE_LIMIT,
  })
  const { txId: txid, raw, rawBytes } = built
  chain.broadcast({ txid, raw, rawBytes, signatures: [sign(txid, privateKey)] })
}

async function billBlock(scene: Scene, wallets: readonly Wallet[]): Promise<Measured> {
  const { chain, rooms } = scene
  const [holder] = chain.network.funded
  const data = `a9059cbb${holder!.address.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
  for (const wallet of wallets) {
    const value = { owner_address: wallet.address, contract_address: chain.network.usdt, data }
    send(chain, wallet, { type: 'TriggerSmartContract', value })
  }
  const [settle] = rooms.autoenergy.loops
  return untilDone(scene, CALLS, {
    work: () => settle!.runOnce(),
    left: `select count(*)::int as left from autoenergy.call where state <> 'billed'`,
  })
}

async function decideBlock(
  scene: Scene,
  wallets: readonly Wallet[],
  pages: readonly string[],
): Promise<Measured> {
  const { chain, rooms } = scene
  for (let n = 0; n < PAYMENTS; n++) {
    const wallet = wallets[n]!
    const to_address = toHex(pages[(n * 5) % pages.length]!)
    const value = { owner_address: wallet.address, to_address, amount: PAYMENT }
    send(chain, wallet, { type: 'TransferContract', value })
  }
  const decide = rooms.agent.loops.find(({ name }) => name === 'agent.decide')!
  await rooms.providers.readLoop.runOnce()
  return untilDone(scene, PAYMENTS, {
    work: () => decide.runOnce(),
    left: `select count(*)::int as left from agent.payment where status <> 'delivering'`,
  })
}

/** From the moment the block is there: read it, and work until nothing of it is left. */
async function untilDone(
  { chain, rooms, world }: Scene,
  count: number,
  { work, left }: { work(): Promise<number>; left: string },
): Promise<Measured> {
  const block = chain.mine()
  if (block.txids.length !== count)
    throw new Error(`${block.txids.length} of ${count} in the block`)
  const started = performance.now()
  await rooms.chain.scanLoop.runOnce()
  let done = 0
  for (let more = 1; more > 0; done += more) more = await work()
  const ms = performance.now() - started
  const { rows } = await world.admin.query(left)
  if (rows[0].left !== 0 || done < count) throw new Error(`${done} done, ${rows[0].left} left`)
  return { count, perSecond: (count * 1_000) / ms, p50Ms: ms, p95Ms: ms, p99Ms: ms }
}
