export type TroubleKind =
  /** No answer in time. A request that changes something may have been carried out. */
  | 'timeout'
  /** No connection, a broken one, or a node that cannot reach the network or take more. */
  | 'unreachable'
  /** 403, 429, 503, or java-tron's "lack of computing resources". */
  | 'rate_limited'
  /** The node answered with an error. */
  | 'node_error'
  /** 404 or 405: the node does not serve this path at this address. */
  | 'not_served'
  /** The node's head block is too old to rely on its answer. */
  | 'stale'
  /** The answer is not what the API promises. */
  | 'malformed'

type Details = { node?: string; retryAfterMs?: number; cause?: unknown }

/**
 * A failure outside this program: try again later, or elsewhere. A node's reads throw nothing else.
 */
export class NodeTrouble extends Error {
  override name = 'NodeTrouble'
  readonly kind: TroubleKind
  /** Host and port only: the rest of a node's URL may contain a key, and troubles are logged. */
  readonly node: string | undefined
  readonly retryAfterMs: number | undefined
  readonly #reason: string

  constructor(kind: TroubleKind, message: string, { node, retryAfterMs, cause }: Details = {}) {
    super(`${kind}: ${message}${node === undefined ? '' : ` (${node})`}`, { cause })
    this.kind = kind
    this.#reason = message
    this.node = node
    this.retryAfterMs = retryAfterMs
  }

  /** The same trouble, found in an answer of this node. */
  of(node: string): NodeTrouble {
    return this.node === undefined ? new NodeTrouble(this.kind, this.#reason, { node }) : this
  }
}
