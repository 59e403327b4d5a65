import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { stringifyJson } from '@ergon/tron'
import { controlReceivers, type Receivers } from '../../receivers.ts'
import { isLoopback, listenOn, readBody, send, sendErrorPage } from '../../socket.ts'
import { controlChat, type TelegramStandIn } from '../../telegram.ts'
import type { Chain } from '../chain.ts'
import type { FaultSettings, Faults } from '../faults.ts'
import { accountEndpoints } from './accounts.ts'
import { blockEndpoints } from './blocks.ts'
import { broadcastEndpoints } from './broadcast.ts'
import { builderEndpoints } from './builders.ts'
import { contractEndpoints } from './contracts.ts'
import { type Control, controlRoutes } from './control.ts'
import { deployEndpoints } from './deploy.ts'
import { nodeEndpoints } from './node.ts'
import { type ApiRequest, type Endpoint, NodeError, Params, type Sight } from './request.ts'
import { voteEndpoints } from './votes.ts'

const endpoints: Endpoint[] = [
  ...blockEndpoints,
  ...accountEndpoints,
  ...broadcastEndpoints,
  ...builderEndpoints,
  ...contractEndpoints,
  ...deployEndpoints,
  ...voteEndpoints,
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

/** The port that answers everything, or one of the two that a node has. */
export type Port = 'all' | 'full' | 'solidity'

/** Listens on the host and port; rejects when the port is taken. */
export function listen(
  parts: ServerParts,
  { kind, ...where }: { host: string; port: number; kind: Port },
): Promise<{ url: string; server: Server }> {
  const answer = kind === 'all' ? answerAll : answerNode
  return listenOn(where, (request, response) => {
    answer(parts, request, response, kind).catch((error) => fail(response, error))
  })
}

/** The devnet's own paths, and both prefixes. */
async function answerAll(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = urlOf(request)
  const method = request.method === 'POST' ? 'POST' : 'GET'
  if (url.pathname === '/healthcheck') return send(response, 200, 'OK')
  const receiver = /^\/receivers\/([0-9a-f-]{36})$/.exec(url.pathname)?.[1]
  const isOurs = /^\/(telegram|control)\//.test(url.pathname) || receiver !== undefined
  if (!isOurs) return answerNode(parts, request, response, 'all')
  const body = await readBody(request)
  if (body === undefined) return send(response, 413, 'Payload Too Large')
  if (receiver && method === 'POST') {
    return parts.receivers.receive(receiver, request, body, response)
  }
  if (url.pathname.startsWith('/telegram/')) {
    return parts.telegram.answer(url.pathname.slice('/telegram'.length), body, response)
  }
  if (!isLoopback(request)) return send(response, 403, '{"error":"control is for loopback only"}')
  const control = controlRoutes[`${method} ${url.pathname}`]
  const answer =
    control?.(parts.control, body) ??
    controlReceivers(parts.receivers, { method, path: url.pathname, body }) ??
    controlChat(parts.telegram, { method, path: url.pathname, body })
  if (answer) return send(response, answer.status, stringifyJson(answer.json))
  return send(response, 404, 'Not Found')
}

/** The paths of a node; what it does not have is a page of its web server. */
async function answerNode(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  kind: Port,
): Promise<void> {
  const url = urlOf(request)
  const { method = 'GET' } = request
  const body = await readBody(request)
  if (body === undefined) return send(response, 413, 'Payload Too Large')
  const found = routes.get(url.pathname)
  const route =
    found && (kind === 'all' || found.solidity === (kind === 'solidity')) ? found : undefined
  if (!route) {
    if (method === 'GET') return sendErrorPage(response, 404, 'Not Found')
    return sendErrorPage(response, 405, `HTTP method ${method} is not supported by this URL`)
  }
  const { endpoint } = route
  if (method !== 'GET' && method !== 'POST') return void response.writeHead(405).end()
  if (method === 'GET' && endpoint.methods === 'POST' && !endpoint.emptyGet) {
    return sendErrorPage(response, 405, 'HTTP method GET is not supported by this URL')
  }
  const contentType = request.headers['content-type'] ?? ''
  const call: ApiRequest = { method, query: url.searchParams, body, contentType }
  const fault = parts.faults.take(endpoint.path)
  if (fault.delay_ms) await sleep(fault.delay_ms)
  if (fault.http_status) return send(response, fault.http_status, '')
  const answer = run(parts.chain(), call, { ...route, fault, pending: kind !== 'all' })
  send(response, 200, answer)
}

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '/', 'http://devnet')
}

export type DirectCall = {
  path: string
  body: string
  fault?: FaultSettings
  /** Shows what is pending, as a node does. */
  pending?: boolean
}

/** One POST without a socket: the body of the answer, or undefined where a node has no such path. */
export function answerCall(
  chain: Chain,
  { path, body, fault = {}, pending = false }: DirectCall,
): string | undefined {
  const route = routes.get(path)
  const query = new URLSearchParams()
  const call: ApiRequest = { method: 'POST', query, body, contentType: 'application/json' }
  return route && run(chain, call, { ...route, fault, pending })
}

type Run = Route & { fault: FaultSettings; pending: boolean }

/** The body of the answer: whatever happens inside a node's servlet, its status is 200. */
function run(
  chain: Chain,
  request: ApiRequest,
  { endpoint, solidity, fault, pending }: Run,
): string {
  if (request.method === 'GET' && endpoint.methods === 'POST') return ''
  if (fault.empty_infos && endpoint.path === 'gettransactioninfobyblocknum') return '[]'
  if (fault.empty_infos && endpoint.path === 'gettransactioninfobyid') return '{}'
  try {
    const params = new Params(request, endpoint.bodyless)
    const sight = sightOf(chain, { solidity, fault, pending })
    return stringifyJson(endpoint.run({ chain, params, fault, sight }))
  } catch (error) {
    if (error instanceof NodeError) return JSON.stringify({ Error: error.text })
    throw error
  }
}

function sightOf(chain: Chain, { solidity, fault, pending }: Omit<Run, 'endpoint'>): Sight {
  const { stale_head_ms = 0, syncing_blocks = 0 } = fault
  let head = chain.head.number
  const newest = chain.clock.now() - stale_head_ms
  // No state is kept below the solid block, so the oldest head to be shown is that one.
  while (stale_head_ms > 0 && head > chain.solidNumber && chain.block(head)!.timestamp > newest) {
    head--
  }
  head = Math.max(Math.min(head, 1), head - syncing_blocks)
  const isOld = head < chain.head.number
  if (pending && !solidity && !isOld) return { top: head, view: chain.pending, pending }
  const top = solidity ? Math.min(chain.solidNumber, head) : head
  return { top, view: chain.viewAt(Math.max(top, chain.solidNumber)), pending: false }
}

/** A fault of ours: said as a node says an unexpected exception, and the process lives. */
function fail(response: ServerResponse, error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  if (response.headersSent || response.destroyed) return void response.destroy()
  send(response, 200, JSON.stringify({ Error: `class java.lang.RuntimeException : ${text}` }))
}
