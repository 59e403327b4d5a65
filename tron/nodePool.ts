import { exchange, type Question, type Target, type World } from './exchange.ts'
import { int64, isAbsent, object } from './jsonFields.ts'
import { findSolidity } from './solidityAddress.ts'
import { NodeTrouble, type TroubleKind } from './trouble.ts'
import { DecodeError } from './wire.ts'

export type PoolOptions = {
  targets: readonly Target[]
  timeoutMs: number
  staleAfterMs: number
  onTrouble: (trouble: NodeTrouble) => void
}

/** A read: `decode` returns undefined for "not found", which only a fresh node may answer. */
export type Read<T> = Question & {
  decode: (json: unknown) => T | undefined
  /** For an answer that is the head block itself: its time, which saves a second request. */
  headTimeOf?: (value: T) => number
  /** For an answer that is the newest solid block: its time. Its port may be of a process that has stopped. */
  solidTimeOf?: (value: T) => number
  /** Only a fresh node may answer: the answer is about the state of the head. */
  mustBeFresh?: boolean
}

type Body = Question['body']

export type NodeStatus = { node: string; stale: boolean | undefined; restsUntil: number }

type Node = {
  target: Target
  troubles: number
  restsUntil: number
  head: { timestamp: number; seenAt: number; stale: boolean } | undefined
  probe: Promise<void> | undefined
  /** Where it was found to serve /walletsolidity. */
  solidityUrl: string | undefined
}

const restMsFirst = 1_000
const restMsMax = 60_000
// A block is solid after 19 more, about a minute; with missed blocks it takes longer.
const solidLagMsMax = 180_000
// Limit of a Retry-After: a misconfigured proxy must not disable a node for a year.
const retryAfterMsMax = 10 * 60_000

/** The nodes in order of preference, and the state of each. */
export class NodePool {
  readonly #world: World
  readonly #options: PoolOptions
  readonly #nodes: Node[]

  constructor(world: World, options: PoolOptions) {
    if (options.targets.length === 0) throw new RangeError('a node client needs at least one URL')
    this.#world = world
    this.#options = options
    this.#nodes = options.targets.map((target) => ({
      target,
      troubles: 0,
      restsUntil: 0,
      head: undefined,
      probe: undefined,
      solidityUrl: undefined,
    }))
  }

  status(): NodeStatus[] {
    return this.#nodes.map((node) => ({
      node: node.target.host,
      stale: this.#isKnown(node) ? node.head?.stale : undefined,
      restsUntil: node.restsUntil,
    }))
  }

  /** Asks one node after the other until one answers, all within the total deadline. */
  async read<T>(read: Read<T>): Promise<T | undefined> {
    const deadline = this.#world.now() + this.#options.timeoutMs
    const queue = await this.#awake(deadline)
    const stale: Node[] = []
    let last: NodeTrouble | undefined
    for (const [i, node] of queue.entries()) {
      try {
        const value = await this.#readFresh(node, read, this.#share(deadline, queue.length - i))
        node.troubles = 0
        return value
      } catch (error) {
        last = this.#blame(node, error)
        if (last.kind === 'stale') stale.push(node)
      }
    }
    // No fresh node answered. What a stale node has is still true; what it lacks proves nothing.
    if (read.mustBeFresh) stale.length = 0
    stale.sort((a, b) => (b.head?.timestamp ?? 0) - (a.head?.timestamp ?? 0))
    for (const [i, node] of stale.entries()) {
      try {
        const until = this.#share(deadline, stale.length - i)
        const value = await this.#ask(node, read, until)
        if (value !== undefined) return value
      } catch (error) {
        last = this.#blame(node, error)
      }
    }
    throw last ?? new NodeTrouble('timeout', 'no node was asked')
  }

  /** A read whose `{}` or `[]` means "not found". */
  find<T>(path: string, body: Body, decode: (json: unknown) => T): Promise<T | undefined> {
    return this.read({ path, body, decode: (json) => (isAbsent(json) ? undefined : decode(json)) })
  }

  /** A read that always has an answer. */
  async get<T>(path: string, body: Body, decode: (json: unknown) => T): Promise<T> {
    return (await this.read({ path, body, decode })) as T
  }

  /**
   * Sends to exactly one node exactly once, for requests that must not be repeated without the
   * caller.
   */
  async send<T>(read: Question & { decode: (json: unknown) => T }): Promise<T> {
    const deadline = this.#world.now() + this.#options.timeoutMs
    const queue = await this.#awake(deadline)
    const node = queue.find((candidate) => !this.#isKnownStale(candidate)) ?? queue[0]!
    try {
      const answer = await this.#ask(node, read, deadline)
      node.troubles = 0
      return answer as T
    } catch (error) {
      throw this.#blame(node, error)
    }
  }

  async #readFresh<T>(node: Node, read: Read<T>, until: number): Promise<T | undefined> {
    const { headTimeOf } = read
    if (headTimeOf) {
      const value = await this.#ask(node, read, until)
      if (value !== undefined) this.#observe(node, headTimeOf(value))
      if (this.#nodes.length > 1) this.#refuseStale(node)
      else if (node.head?.stale) this.#options.onTrouble(staleTrouble(node))
      return value
    }
    // A single node has no alternative, so its age matters only when it answers "not found". That
    // saves every other read a second request.
    if (this.#nodes.length > 1 || read.mustBeFresh) await this.#requireFresh(node, until)
    const value = await this.#ask(node, read, until)
    if (value !== undefined) {
      if (read.solidTimeOf) this.#checkSolid(node, read.solidTimeOf(value))
      return value
    }
    if (!this.#isKnown(node)) {
      await this.#requireFresh(node, until)
      // Repeat the read: the first "not found" came before the node was known to be fresh.
      return this.#ask(node, read, until)
    }
    this.#refuseStale(node)
    return undefined
  }

  async #ask<T>(node: Node, read: Read<T>, until: number): Promise<T | undefined> {
    const { decode, path, body, unread } = read
    const askAt = async (url: string) => {
      const isOwn = url === node.target.url
      const { apiKey, solidityUrl } = node.target
      const other = { host: new URL(url).host, apiKey: solidityUrl ? apiKey : undefined }
      const target = isOwn ? node.target : { ...node.target, url, ...other }
      const timeoutMs = until - this.#world.now()
      const question = unread === undefined ? { path, body } : { path, body, unread }
      return decode(await exchange(this.#world, target, { ...question, timeoutMs }))
    }
    return path.startsWith('walletsolidity/')
      ? this.#askSolidity(node, askAt, until)
      : askAt(node.target.url)
  }

  /** A gateway serves /walletsolidity at the same address, java-tron by default on the port after it. */
  async #askSolidity<T>(node: Node, askAt: (url: string) => Promise<T>, until: number): Promise<T> {
    const { target } = node
    if (node.solidityUrl === undefined && target.solidityUrl === undefined) {
      try {
        const answer = await askAt(target.url)
        node.solidityUrl = target.url
        return answer
      } catch (error) {
        if (!(error instanceof NodeTrouble && error.kind === 'not_served')) throw error
      }
    }
    node.solidityUrl ??= await findSolidity(this.#world, target, until)
    return askAt(node.solidityUrl)
  }

  async #requireFresh(node: Node, until: number): Promise<void> {
    if (!this.#isKnown(node)) {
      node.probe ??= this.#probe(node, until).finally(() => {
        node.probe = undefined
      })
      await node.probe
    }
    this.#refuseStale(node)
  }

  /** The head's header without its transactions: a few hundred bytes. */
  async #probe(node: Node, until: number): Promise<void> {
    const decode = (json: unknown) => {
      const header = object(object(json, 'block').block_header, 'block_header')
      return Number(int64(object(header.raw_data, 'raw_data').timestamp ?? 0, 'timestamp'))
    }
    const read = { path: 'wallet/getblock', body: { detail: false }, decode }
    this.#observe(node, (await this.#ask(node, read, until)) ?? 0)
  }

  #checkSolid({ target }: Node, timestamp: number): void {
    const age = this.#world.now() - timestamp
    // Block 0 has no time: the chain has just begun.
    if (timestamp === 0 || age <= this.#options.staleAfterMs + solidLagMsMax) return
    const { host } = target
    const trouble = new NodeTrouble('stale', `solid block is ${age} ms old`, { node: host })
    if (this.#nodes.length > 1) throw trouble
    this.#options.onTrouble(trouble)
  }

  #observe(node: Node, timestamp: number): void {
    const seenAt = this.#world.now()
    const stale = seenAt - timestamp > this.#options.staleAfterMs
    node.head = { timestamp, seenAt, stale }
  }

  // A known head stays valid for a third of the allowed age. A scanner that polls the head renews
  // it, others request it once in that time.
  #isKnown(node: Node): boolean {
    const age = this.#world.now() - (node.head?.seenAt ?? Number.NEGATIVE_INFINITY)
    return age >= 0 && age < this.#options.staleAfterMs / 3
  }

  #isKnownStale(node: Node): boolean {
    return this.#isKnown(node) && node.head?.stale === true
  }

  #refuseStale(node: Node): void {
    if (node.head?.stale) throw staleTrouble(node)
  }

  /** The nodes that are not backing off; when all are, the first to return, if that is in time. */
  async #awake(deadline: number): Promise<Node[]> {
    const now = this.#world.now()
    const awake = this.#nodes.filter((node) => node.restsUntil <= now)
    if (awake.length > 0) return awake
    const first = this.#nodes.reduce((a, b) => (b.restsUntil < a.restsUntil ? b : a))
    if (first.restsUntil >= deadline) {
      const retryAfterMs = first.restsUntil - now
      throw new NodeTrouble('rate_limited', 'every node rests', { retryAfterMs })
    }
    await this.#world.sleep(first.restsUntil - now)
    return [first]
  }

  /** Each of the remaining nodes gets an equal share of the time that is left. */
  #share(deadline: number, nodesLeft: number): number {
    const now = this.#world.now()
    return now + (deadline - now) / nodesLeft
  }

  /** Records a trouble against its node; any other error is our own fault and is thrown. */
  #blame(node: Node, error: unknown): NodeTrouble {
    const { host } = node.target
    const found =
      error instanceof DecodeError
        ? new NodeTrouble('malformed', error.message, { node: host, cause: error })
        : error
    if (!(found instanceof NodeTrouble)) throw error
    const trouble = found.of(host)
    if (this.#shouldRest(trouble.kind)) {
      const now = this.#world.now()
      const retryAfterMs = Math.min(trouble.retryAfterMs ?? 0, retryAfterMsMax)
      // Calls that failed together are one trouble: a batch of them must not silence a node for a minute.
      const restMs =
        node.restsUntil > now ? 0 : Math.min(restMsFirst * 2 ** node.troubles++, restMsMax)
      node.restsUntil = Math.max(node.restsUntil, now + Math.max(restMs, retryAfterMs))
    }
    this.#options.onTrouble(trouble)
    return trouble
  }

  #shouldRest(kind: TroubleKind): boolean {
    if (kind === 'rate_limited') return true
    // No back-off of the only node for being slow: it would only lose time.
    return this.#nodes.length > 1 && (kind === 'timeout' || kind === 'unreachable')
  }
}

function staleTrouble({ head, target }: Node): NodeTrouble {
  const age = head ? head.seenAt - head.timestamp : 0
  return new NodeTrouble('stale', `head is ${age} ms old`, { node: target.host })
}
