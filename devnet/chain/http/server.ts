import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { stringifyJson } from '@ergon/tron'
import { controlReceivers, type Receivers } from '../../receivers.ts'
import { isLoopback, listenOn, readBody, send } from '../../socket.ts'
import { controlChat, type TelegramStandIn } from '../../telegram.ts'
import type { Chain } from '../chain.ts'
import type { FaultSettings, Faults } from '../faults.ts'
import { accountEndpoints } from './accounts.ts'
import { blockEndpoints } from './blocks.ts'
import { broadcastEndpoints } from './broadcast.ts'
import { builderEndpoints } from './builders.ts'
import { contractEndpoints } from './contracts.ts'
import { type Control, controlRoutes } from './control.ts'
import { nodeEndpoints } from './node.ts'
import { type ApiRequest, type Endpoint, NodeError, Params, type Sight } from './request.ts'

const endpoints: Endpoint[] = [
  ...blockEndpoints,
  ...accountEndpoints,
  ...broadcastEndpoints,
  ...builderEndpoints,
  ...contractEndpoints,
  ...nodeEndpoints,
]

export type Route = { endpoint: Endpoint; solidity: boolean }

/** Every path of both prefixes. */
export const routes: ReadonlyMap<string, Route> = new Map(
  endpoints.flatMap((endpoint): [string, Route][] => {
    const full: [string, Route] = [`/wallet/${endpoint.path}`, { endpoint, solidity: false }]
    if (!endpoint.solidity) return [full]
    return [full, [`/walletsolidity/${endpoint.path}`, { endpoint, solidity: true }]]
  }),
)

export type ServerParts = {
  chain: () => Chain
  faults: Faults
  control: Control
  receivers: Receivers
  telegram: TelegramStandIn
}

/** Listens on the host and port; rejects when the port is taken. */
export function listen(
  parts: ServerParts,
  where: { host: string; port: number },
): Promise<{ url: string; server: Server }> {
  return listenOn(where, (request, response) => {
    answer(parts, request, response).catch((error) => fail(response, error))
  })
}

async function answer(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://devnet')
  const method = request.method === 'POST' ? 'POST' : 'GET'
  const body = await readBody(request)
  if (body === undefined) return send(response, 413, 'Payload Too Large')
  if (url.pathname === '/healthcheck') return send(response, 200, 'OK')
  const receiver = /^\/receivers\/([0-9a-f-]{36})$/.exec(url.pathname)?.[1]
  if (receiver && method === 'POST') {
    return parts.receivers.receive(receiver, request, body, response)
  }
  if (url.pathname.startsWith('/telegram/')) {
    return parts.telegram.answer(url.pathname.slice('/telegram'.length), body, response)
  }
  const control = controlRoutes[`${method} ${url.pathname}`]
  if (url.pathname.startsWith('/control/')) {
    if (!isLoopback(request)) return send(response, 403, '{"error":"control is for loopback only"}')
    const answer =
      control?.(parts.control, body) ??
      controlReceivers(parts.receivers, { method, path: url.pathname, body }) ??
      controlChat(parts.telegram, { method, path: url.pathname, body })
    if (answer) return send(response, answer.status, stringifyJson(answer.json))
  }
  const route = routes.get(url.pathname)
  if (!route) return send(response, 404, 'Not Found')
  const contentType = request.headers['content-type'] ?? ''
  const call: ApiRequest = { method, query: url.searchParams, body, contentType }
  const fault = parts.faults.take(route.endpoint.path)
  if (fault.delay_ms) await sleep(fault.delay_ms)
  if (fault.http_status) return send(response, fault.http_status, '')
  send(response, 200, run(parts.chain(), call, { ...route, fault }))
}

/** One POST without a socket: the body of the answer, or undefined where a node has no such path. */
export function answerCall(
  chain: Chain,
  { path, body, fault = {} }: { path: string; body: string; fault?: FaultSettings },
): string | undefined {
  const route = routes.get(path)
  const query = new URLSearchParams()
  const call: ApiRequest = { method: 'POST', query, body, contentType: 'application/json' }
  return route && run(chain, call, { ...route, fault })
}

/** The body of the answer: whatever happens inside a node's servlet, its status is 200. */
function run(
  chain: Chain,
  request: ApiRequest,
  { endpoint, solidity, fault }: { endpoint: Endpoint; solidity: boolean; fault: FaultSettings },
): string {
  // The servlets that only take POST have an empty doGet.
  if (request.method === 'GET' && endpoint.methods === 'POST') return ''
  if (fault.empty_infos && endpoint.path === 'gettransactioninfobyblocknum') return '[]'
  if (fault.empty_infos && endpoint.path === 'gettransactioninfobyid') return '{}'
  try {
    const params = new Params(request, endpoint.bodyless)
    return stringifyJson(endpoint.run({ chain, params, sight: sightOf(chain, solidity, fault) }))
  } catch (error) {
    if (error instanceof NodeError) return JSON.stringify({ Error: error.text })
    throw error
  }
}

function sightOf(chain: Chain, solidity: boolean, { stale_head_ms = 0 }: FaultSettings): Sight {
  let head = chain.head.number
  const newest = chain.clock.now() - stale_head_ms
  // No state is kept below the solid block, so the oldest head to be shown is that one.
  while (stale_head_ms > 0 && head > chain.solidNumber && chain.block(head)!.timestamp > newest) {
    head--
  }
  const top = solidity ? Math.min(chain.solidNumber, head) : head
  return { top, view: chain.viewAt(top) }
}

/** A fault of ours: said as a node says an unexpected exception, and the process lives. */
function fail(response: ServerResponse, error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  if (response.headersSent || response.destroyed) return void response.destroy()
  send(response, 200, JSON.stringify({ Error: `class java.lang.RuntimeException : ${text}` }))
}
