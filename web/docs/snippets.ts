import { join } from 'node:path'
import { type Route, sandboxRoutes } from '@ergon/contract'

/** Calls and their answers, recorded from a service by proof/contract/examples.test.ts. */
export const EXAMPLES = join(import.meta.dirname, '../../docs/examples/calls.json')

/** As in the guide, whose commands are run by a test. */
export const SETUP = `API=$(node -p "require('./.data/sandbox.json').base_url")
KEY=$(node -p "require('./.data/sandbox.json').accounts[0].api_key")`

export const SANDBOX_SETUP = `SANDBOX=$(node -p "require('./.data/sandbox.json').sandbox_url")`

type Values = Record<string, string | number>
/** A request of the API as it was made. */
export type Asked = {
  params?: Values
  query?: Values
  headers?: Values
  body?: Record<string, unknown>
}
/** A request as the page's script sends it; `path` has the names of its parameters in braces. */
export type Call = Asked & { method: string; path: string; isKeyed: boolean }
type Languages = { curl: string; typescript: string; python: string }

/** The SDK's method for each call. `{name}` is a value of the path, query, headers or body, `{body}` the body. */
const SDK: Record<string, string> = {
  getAccount: 'account()',
  getDeposits: 'deposits().take(10)',
  getEstimate: 'estimate({resource_amount})',
  getOrder: 'order({id})',
  getOrders: 'orders().take(10)',
  getTransactions: 'transactions().take(10)',
  postBuyBatch: 'buyBatch({body})',
  postQuote: 'quote({body})',
  postBuy: 'buy({body}, { idempotencyKey: {Idempotency-Key} })',
  postSubscription: 'autoenergy.subscribe({body})',
  postSubscriptionBatch: 'autoenergy.subscribeBatch({subscriptions})',
  getSubscriptions: 'autoenergy.list()',
  getSubscription: 'autoenergy.get({address})',
  getSubscriptionUsage: 'autoenergy.usage({address}).take(10)',
  getSubscriptionBilling: 'autoenergy.billing({address}).take(10)',
  postSubscriptionClose: 'autoenergy.close({address})',
  postSubscriptionReactivate: 'autoenergy.reactivate({address})',
  deleteSubscription: 'autoenergy.delete({address})',
  postWebhook: 'webhooks.create({body})',
  getWebhooks: 'webhooks.list()',
  patchWebhook: 'webhooks.update({id}, {body})',
  getEvents: 'events({ limit: 2 })',
  postWebhookTest: 'webhooks.test({id})',
  getWebhookDeliveries: 'webhooks.deliveries({id}).take(10)',
  postWebhookResend: 'webhooks.resend({id}, {delivery_id})',
  postWebhookReplay: 'webhooks.replay({id}, {body})',
  postWebhookRotate: 'webhooks.rotateSecret({id}, {body})',
  deleteWebhook: 'webhooks.delete({id})',
  getAgentSummary: 'agent.summary()',
  getAgentQuote: 'agent.quote({energy})',
  postAgentConfig: 'agent.create({body})',
  getAgentConfigs: 'agent.configs()',
  patchAgentConfig: 'agent.update({id}, {body})',
  postAgentPause: 'agent.pause({id})',
  postAgentResume: 'agent.resume({id})',
  getAgentPayments: 'agent.payments().take(10)',
  postAgentDeliver: 'agent.deliver({id})',
  deleteAgentConfig: 'agent.delete({id})',
  getPublicPricing: 'public.pricing()',
  getPublicEnergy: 'public.energy({ from: {from}, to: {to} })',
  getPublicScorecard: 'public.scorecard()',
  getPublicStatus: 'public.status()',
  getPublicProof: 'public.proof({order_id})',
  getPublicTransfer: 'public.transfer({txid})',
  getPay: 'public.payPage({public_id})',
  getPayCheck: 'public.payCheck({public_id}, {address})',
}

/** The variable with the address that the path is below. */
const placeOf = (route: Route) => (sandboxRoutes.includes(route) ? 'SANDBOX' : 'API')

/** The same request in three languages. Address and key come from the environment, so each runs as it stands. */
export function snippetsOf(route: Route, asked: Asked): Languages {
  return {
    curl: curlOf(route, asked),
    typescript: typescriptOf(route, asked),
    python: pythonOf(route, asked),
  }
}

export const isKeyed = ({ auth }: Route) => auth !== 'public'

function pathOf({ path }: Route, { params = {}, query = {} }: Asked): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name) => String(params[name]))
  const search = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  return search.length > 0 ? `${filled}?${search.join('&')}` : filled
}

function curlOf(route: Route, asked: Asked): string {
  const { method } = route
  const path = pathOf(route, asked)
  const verb = method === 'GET' || (method === 'POST' && asked.body) ? '' : ` -X ${method}`
  const key = isKeyed(route) ? ' -H "X-API-Key: $KEY"' : ''
  const headers = Object.entries(asked.headers ?? {}).map(
    ([name, value]) => ` -H "${name}: ${value}"`,
  )
  const body = asked.body ? ` \\\n  -d '${JSON.stringify(asked.body)}'` : ''
  const address = `$${placeOf(route)}${path}`
  const url = /[?&]/.test(path) ? `"${address}"` : address
  return `curl -s${verb} ${url}${key}${headers.join('')}${body}`
}

function typescriptOf(route: Route, asked: Asked): string {
  if (!SDK[route.name]) return fetchOf(route, asked)
  const values = { ...asked.params, ...asked.query, ...asked.headers, ...asked.body }
  const call = SDK[route.name]!.replaceAll(/\{([\w-]+)\}/g, (_all, name) =>
    name === 'body' ? literal(asked.body ?? {}) : literal(values[name]),
  )
  const options = isKeyed(route) ? '{ baseUrl: API!, apiKey: KEY! }' : '{ baseUrl: API! }'
  const names = isKeyed(route) ? '{ API, KEY }' : '{ API }'
  const result =
    route.reply.status === 204 ? `await ergon.${call}` : `console.log(await ergon.${call})`
  return `import { Ergon } from '@ergon/sdk'

const ${names} = process.env
const ergon = new Ergon(${options})
${result}`
}

/** Calls that the SDK has no method for. */
function fetchOf(route: Route, asked: Asked): string {
  const url = `\`\${process.env.${placeOf(route)}}${pathOf(route, asked)}\``
  const { method } = route
  const fields = asked.body
    ? [
        `method: '${method}'`,
        `headers: { 'content-type': 'application/json' }`,
        `body: JSON.stringify(${JSON.stringify(asked.body)})`,
      ]
    : [`method: '${method}'`]
  const options = method === 'GET' ? '' : `, {\n  ${fields.join(',\n  ')},\n}`
  return `const answer = await fetch(${url}${options})
console.log(await answer.json())`
}

/** A value in TypeScript; amounts of SUN are bigint in the SDK. */
function literal(value: unknown, name = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "\\'")}'`
  if (typeof value === 'number' && name.endsWith('_sun')) return `${value}n`
  if (Array.isArray(value)) return `[${value.map((one) => literal(one)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(([key, inner]) => {
    const label = /^\w+$/.test(key) ? key : `'${key}'`
    return `${label}: ${literal(inner, key)}`
  })
  const line = `{ ${fields.join(', ')} }`
  return line.length < 80 ? line : `{\n  ${fields.join(',\n  ')},\n}`
}

function pythonOf(route: Route, asked: Asked): string {
  const headers = [
    ...(isKeyed(route) ? ['"X-API-Key": os.environ["KEY"]'] : []),
    ...Object.entries(asked.headers ?? {}).map(([name, value]) => `"${name}": "${value}"`),
  ]
  const parts = [
    `    os.environ["${placeOf(route)}"] + "${pathOf(route, asked)}"`,
    ...(route.method === 'GET' ? [] : [`    method="${route.method}"`]),
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}}`] : []),
    ...(asked.body ? [`    data=json.dumps(${pythonLiteral(asked.body)}).encode()`] : []),
  ]
  const end =
    route.reply.status === 204
      ? 'urllib.request.urlopen(request)'
      : 'with urllib.request.urlopen(request) as answer:\n    print(json.load(answer))'
  return `import json, os, urllib.request

request = urllib.request.Request(
${parts.join(',\n')},
)
${end}`
}

function pythonLiteral(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, inner]) => `"${key}": ${pythonLiteral(inner)}`)
  return `{${fields.join(', ')}}`
}
