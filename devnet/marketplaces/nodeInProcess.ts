import { createNodeClient, type NodeClient, type Post } from '@ergon/tron'
import type { Chain } from '../chain/chain.ts'
import { answerCall } from '../chain/http/server.ts'

/**
 * A client of the chain in this very process. The faults that the sandbox plants in the node's HTTP
 * API are meant for the service; a marketplace has a node of its own.
 */
export function nodeInProcess(chain: () => Chain): NodeClient {
  const post: Post = async (url, { body }) => {
    const text = answerCall(chain(), { path: new URL(url).pathname, body })
    return new Response(text ?? 'Not Found', { status: text === undefined ? 404 : 200 })
  }
  return createNodeClient({
    urls: ['http://in-process'],
    timeoutMs: 10_000,
    staleAfterMs: Number.MAX_SAFE_INTEGER,
    post,
  })
}
