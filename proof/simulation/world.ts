import { answerCall, type Chain, createChain } from '@ergon/devnet'
import {
  buildTransaction,
  type Contract,
  createNodeClient,
  type HexAddress,
  type NodeClient,
  NodeTrouble,
  type Post,
  type PostAnswer,
  parseAddress,
  sign,
} from '@ergon/tron'
import { SANDBOX_HOT_ADDRESS, SANDBOX_STAKE_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import type { MovableClock } from '../../service/kernel/index.ts'
import type { Seeded } from '../testing/seeded.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import type { Rates } from './rates.ts'
import type { Life, Scheduler } from './scheduler.ts'

const BEGINNING_MS = Date.UTC(2030, 0, 1, 10)
const BLOCK_MS = 3_000
const NODE_TIMEOUT_MS = 10_000
const TRX = 1_000_000
const ENERGY_PER_TRX = 10
const SHARED_FEE_LIMIT = 100_000_000n

/** TRX that a client sent; kept even when the chain drops the transfer. */
export type Sent = { txid: string; to: HexAddress; amount: bigint }

/** A key of the network that signs for itself. */
type Key = { address: HexAddress; privateKey: string }

/** The process that calls a node; its random source decides what goes wrong. */
type Caller = Pick<Life, 'random' | 'step'>

/** Everything outside the service: the chain, its nodes and time. It never crashes. */
export class World {
  readonly chain: Chain
  /** Transfers to our addresses: each becomes a deposit. */
  readonly sent: Sent[] = []
  /** Payments of customers to agents' configurations, at own wallets and at generated addresses. */
  readonly paid: Sent[] = []
  /** Contract calls of wallets that may be covered. */
  readonly called: { txid: string; from: HexAddress }[] = []
  /** Calls of strangers to contracts whose deployers pay for their users. */
  readonly shared: { txid: string; deployer: HexAddress }[] = []
  /** Broadcasts that a node has received but not yet processed. */
  readonly #travelling: { body: string; arrivesAtMs: number }[] = []
  readonly #random: Seeded
  readonly #scheduler: Scheduler
  /** All TRX of the stake, in SUN, before anything happens. */
  readonly stakeAtFirst: bigint
  rates: Rates
  nowMs = BEGINNING_MS
  reorganisations = 0
  blockDueMs = BEGINNING_MS + BLOCK_MS
  #transactions = 0

  constructor(parts: { random: Seeded; rates: Rates; scheduler: Scheduler }) {
    this.#random = parts.random
    this.#scheduler = parts.scheduler
    this.rates = parts.rates
    const stakeTrx = Math.ceil((this.rates.roomEnergy / ENERGY_PER_TRX) * 1.01)
    const stake = {
      address: SANDBOX_STAKE_ADDRESS,
      balance_sun: 1_000_000 * TRX,
      frozen_energy_sun: stakeTrx * TRX,
      frozen_bandwidth_sun: 20_000_000 * TRX,
    }
    const { balance_sun, frozen_energy_sun, frozen_bandwidth_sun } = stake
    this.stakeAtFirst = BigInt(balance_sun + frozen_energy_sun + frozen_bandwidth_sun)
    this.chain = createChain({
      genesis: { accounts: [stake, { address: SANDBOX_HOT_ADDRESS, balance_sun: 0 }] },
      solidLag: SOLID_LAG,
      now: () => this.nowMs,
    })
  }

  /** The clock of a process: the world's time plus its error. */
  clockOf(skewMs: number): MovableClock {
    return {
      now: () => new Date(this.nowMs + skewMs),
      elapsedMs: () => this.nowMs,
      wallMs: () => this.nowMs + skewMs,
      aheadMs: () => 0,
      setAheadMs() {},
    }
  }

  isBlockDue(): boolean {
    return this.nowMs >= this.blockDueMs
  }

  mine(): void {
    const block = this.chain.mine()
    this.blockDueMs = this.nowMs + BLOCK_MS
    this.#scheduler.trace.note(`block ${block.number} with ${block.txids.length}`)
  }

  /**
   * Replaces the blocks after the solid one by another branch; returns the number of dropped
   * transactions.
   */
  reorganise(): number {
    const depthMax = this.chain.head.number - this.chain.solidNumber
    if (depthMax < 1) return 0
    this.reorganisations += 1
    const depth = 1 + this.#random.below(depthMax)
    const first = this.chain.head.number - depth + 1
    const gone = Array.from({ length: depth }, (_, i) => this.chain.block(first + i)!.txids).flat()
    const candidates = [...gone, ...this.chain.pool.keys()]
    const dropped = candidates.filter(() => this.#random.fraction() < this.rates.drop)
    this.chain.reorg(depth, new Set(dropped))
    this.#scheduler.trace.note(`reorganisation of ${depth}, ${dropped.length} dropped`)
    return dropped.length
  }

  pass(ms: number): void {
    this.nowMs += ms
    for (const one of this.#travelling.filter(({ arrivesAtMs }) => arrivesAtMs <= this.nowMs)) {
      this.#travelling.splice(this.#travelling.indexOf(one), 1)
      this.#scheduler.trace.note('a late broadcast arrives')
      answerCall(this.chain, { path: '/wallet/broadcasthex', body: one.body })
    }
  }

  /** A transfer from a client's wallet, sent without faults. */
  transfer(to: string, amount: bigint, from: Key): Sent {
    const value = { owner_address: from.address, to_address: parseAddress(to)!, amount }
    const txid = this.#send({ type: 'TransferContract', value }, from)
    const sent = { txid, to: value.to_address, amount }
    this.sent.push(sent)
    return sent
  }

  /** A payment to a configuration's address; also a deposit where the address is ours. */
  pay(to: string, amount: bigint, from: Key, isOurs: boolean): void {
    const sent = this.transfer(to, amount, from)
    if (!isOurs) this.sent.pop()
    this.paid.push(sent)
  }

  /** USDT to an address that holds some (64,285 Energy) or none (130,285). */
  callUsdt(to: HexAddress, from: Key, feeLimit: bigint): void {
    const value = {
      owner_address: from.address,
      contract_address: this.chain.network.usdt,
      data: `a9059cbb${to.slice(2).padStart(64, '0')}${(1_000).toString(16).padStart(64, '0')}`,
    }
    const txid = this.#send({ type: 'TriggerSmartContract', value }, from, feeLimit)
    this.called.push({ txid, from: from.address })
  }

  /** A stranger's call, paid by the contract's deployer as far as it has Energy. */
  callShared(deployer: HexAddress, to: HexAddress, from: Key): void {
    const value = {
      owner_address: from.address,
      contract_address: sharedContractOf(this.chain, deployer),
      data: `a9059cbb${to.slice(2).padStart(64, '0')}${(1).toString(16).padStart(64, '0')}`,
    }
    const txid = this.#send({ type: 'TriggerSmartContract', value }, from, SHARED_FEE_LIMIT)
    this.shared.push({ txid, deployer })
  }

  /** What somebody else does with a key of its own. */
  act(contract: Contract, from: Key): string {
    return this.#send(contract, from)
  }

  #send(contract: Contract, from: Key, feeLimit = 0n): string {
    this.#transactions += 1
    const { head } = this.chain
    const timestamp = head.timestamp + this.#transactions
    const built = buildTransaction(contract, { headBlock: head, timestamp, feeLimit })
    const { txId: txid, raw, rawBytes } = built
    const signatures = [sign(txid, from.privateKey)]
    this.chain.broadcast({ txid, raw, rawBytes, signatures })
    return txid
  }

  /** The service's node client over a simulated connection that loses, delays and lags. */
  nodeFor(life: Caller, clock: MovableClock): NodeClient {
    const post: Post = (url, { body }) => this.#post(life, new URL(url).pathname, body)
    return createNodeClient({
      urls: ['http://node.invalid'],
      timeoutMs: NODE_TIMEOUT_MS,
      now: () => clock.now().getTime(),
      sleep: untilAborted,
      post,
    })
  }

  async #post(life: Caller, path: string, body: string): Promise<PostAnswer> {
    // Not a step: the service waits for this call with a timer of the machine.
    if (!path.endsWith('/getaccount')) await life.step(`node ${path}`)
    const { random } = life
    const { rates } = this
    const timeout = (what: string) => new NodeTrouble('timeout', `${what} ${path}`)
    if (random.fraction() < rates.lostRequest) throw timeout('lost')
    if (path === '/wallet/broadcasthex' && random.fraction() < rates.slowBroadcast) {
      const arrivesAtMs = this.nowMs + 1_000 + random.below(20_000)
      this.#travelling.push({ body, arrivesAtMs })
      throw timeout('slow')
    }
    const lags = random.fraction() < rates.lag
    const fault = lags ? { stale_head_ms: 1_000 + random.below(15_000) } : {}
    const text = answerCall(this.chain, { path, body, fault })
    if (random.fraction() < rates.lostAnswer) throw timeout('unanswered')
    return responseOf(text)
  }
}

/** A contract with USDT's code whose deployer pays the Energy of every caller. */
function sharedContractOf({ network }: Chain, deployer: HexAddress): HexAddress {
  const contracts = network.contracts as Map<HexAddress, object>
  const contract = `41c0de${deployer.slice(-36)}`
  const sharing = { origin: deployer, percent: 100n }
  if (!contracts.has(contract)) {
    contracts.set(contract, { ...contracts.get(network.usdt)!, sharing })
  }
  return contract
}

/** A client's own node, which has no faults. */
export function steadyNode(chain: Chain): NodeClient {
  const post: Post = async (url, { body }) =>
    responseOf(answerCall(chain, { path: new URL(url).pathname, body }))
  return createNodeClient({
    urls: ['http://node.invalid'],
    timeoutMs: NODE_TIMEOUT_MS,
    staleAfterMs: Number.MAX_SAFE_INTEGER,
    sleep: untilAborted,
    post,
  })
}

function responseOf(text: string | undefined): PostAnswer {
  const body = [Buffer.from(text ?? '')]
  return { status: text === undefined ? 404 : 200, headers: new Headers(), body }
}

/**
 * A wait that only an abort ends: timeouts by the machine's clock would change the run on a slow
 * machine.
 */
function untilAborted(_ms: number, signal?: AbortSignal): Promise<never> {
  return new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
}
