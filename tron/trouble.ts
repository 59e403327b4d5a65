export type TroubleKind =
  /** No answer in time. A request that changes something may have been carried out. */
  | 'timeout'
  /** No connection, a broken one, or a gateway that cannot reach its node. */
  | 'unreachable'
  /** 403, 429, 503, or java-tron's "lack of computing resources". */
  | 'rate_limited'
  /** The node answered with an error. */
  | 'node_error'
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

  constructor(kind: TroubleKind, message: string, { node, retryAfterMs, cause }: Details = {}) {
    super(`${kind}: ${message}${node === undefined ? '' : ` (${node})`}`, { cause })
    this.kind = kind
    this.node = node
    this.retryAfterMs = retryAfterMs
  }
}
