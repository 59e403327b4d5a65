import { expect, test } from 'vitest'
import { eventTypes, openApi, type Route, refusals, routes, sandboxRoutes } from './index.ts'

const all: readonly Route[] = [...routes, ...sandboxRoutes]
const named = all.map((route) => [route.name, route] as const)

test.each(named)('%s has a summary, a reply and its refusals', (_name, route) => {
  expect(route.summary).toMatch(/^[A-Z].*[^.]$/)
  expect(route.reply.description).toMatch(/\.$/)
  expect(route.reply.schema).toBeTypeOf('object')
  if (route.reply.status !== 204) expect(Object.keys(route.reply.schema)).not.toEqual([])
  expect(Array.isArray(route.refusals)).toBe(true)
  for (const code of route.refusals) expect(refusals).toHaveProperty(code)
})

test.each(named)(
  '%s describes every path parameter, query, header and body field',
  (_name, route) => {
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(Object.keys(route.params?.properties ?? {})).toEqual(inPath)
    for (const part of [route.params, route.query, route.headers, route.body]) {
      const properties = (part?.properties ?? {}) as Record<string, { description?: string }>
      for (const [name, field] of Object.entries(properties)) {
        expect([name, field.description]).toEqual([name, expect.stringMatching(/\S/)])
      }
    }
  },
)

test('names are unique, and so are method and path on each mount', () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  for (const mount of [routes, sandboxRoutes]) {
    expect(new Set(mount.map(({ method, path }) => `${method} ${path}`)).size).toBe(mount.length)
  }
})

const document = JSON.parse(JSON.stringify(openApi(routes, sandboxRoutes)))
type Operation = {
  operationId: string
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>
  parameters: { name: string; in: string; required: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
}
const paths = document.paths as Record<string, Record<string, Operation>>
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    /^(get|post|patch|delete)$/.test(method) ? [[path, method, operation] as const] : [],
  ),
)

test('the document is OpenAPI 3.1 and holds every route', () => {
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'Ergon', version: '0.1.0' },
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
  })
  expect(operations.map(([, , { operationId }]) => operationId).sort()).toEqual(
    all.map(({ name }) => name).sort(),
  )
})

test.each(operations)('%s %s has the shape of an operation', (path, _method, operation) => {
  expect(path).toMatch(/^\//)
  const statuses = Object.keys(operation.responses)
  expect(statuses.filter((status) => /^2\d\d$/.test(status))).toHaveLength(1)
  for (const [status, response] of Object.entries(operation.responses)) {
    expect(status).toMatch(/^[1-5]\d\d$/)
    expect(response.description).toMatch(/\S/)
    const isStream = operation.operationId === 'getPayLive' && status === '200'
    const type = isStream ? 'text/event-stream' : 'application/json'
    if (status !== '204') expect(response.content?.[type]?.schema).toBeDefined()
  }
  for (const parameter of operation.parameters) {
    expect(['path', 'query', 'header']).toContain(parameter.in)
    if (parameter.in === 'path') expect(parameter.required).toBe(true)
  }
  const declared = operation.parameters.filter((p) => p.in === 'path').map((p) => p.name)
  expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
})

test('nothing in the document is a keyword that OpenAPI 3.1 does not have', () => {
  const text = JSON.stringify(document)
  expect(text).not.toContain('"nullable"')
  for (const [, reference] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = reference!.split('/').reduce((at, step) => at?.[step], document)
    expect([reference, target]).toEqual([reference, expect.anything()])
  }
})

test('a field that may be null says so as a union of types', () => {
  const schema = paths['/order/{id}']!.get!.responses['200']!.content!['application/json']!.schema
  expect(schema).toMatchObject({ properties: { completed_at: { type: ['string', 'null'] } } })
})

test('routes of the sandbox are described at their own address', () => {
  for (const { path } of sandboxRoutes) {
    expect([path, paths[path]]).toEqual([
      path,
      expect.objectContaining({ servers: [{ url: '/sandbox' }] }),
    ])
  }
  for (const { path } of routes) expect(paths[path]).not.toHaveProperty('servers')
  const shared = routes.filter(({ path }) => sandboxRoutes.some((other) => other.path === path))
  expect(shared).toEqual([])
})

test('every event that a webhook can get is described with its payload', () => {
  const described = Object.keys(eventTypes).filter((type) => type !== 'webhook.disabled')
  expect(Object.keys(document.webhooks)).toEqual(described)
  const ids = new Set(operations.map(([, , { operationId }]) => operationId))
  for (const type of described) {
    const { post } = document.webhooks[type]
    expect(ids.has(post.operationId)).toBe(false)
    const { properties, required } = post.requestBody.content['application/json'].schema
    expect(required).toEqual(['id', 'type', 'created_at', 'audience', 'data'])
    expect(properties.type).toEqual({ const: type })
    const data = eventTypes[type as keyof typeof eventTypes].data
    expect(Object.keys(properties.data.properties)).toEqual(Object.keys(data.properties))
  }
  expect(openApi([])).not.toHaveProperty('webhooks')
})

test('what is made is 201, what is deleted 204, every other answer 200', () => {
  const made = ['postAgentConfig', 'postSubscription', 'postWebhook']
  const wanted = ({ name, method }: Route) => {
    if (method === 'DELETE') return 204
    return made.includes(name) ? 201 : 200
  }
  for (const route of routes as readonly Route[]) {
    expect([route.name, route.reply.status]).toEqual([route.name, wanted(route)])
  }
  expect(routes.map(({ name }) => name)).toEqual(expect.arrayContaining(made))
})

const pagingOf = (path: string) =>
  Object.fromEntries(
    paths[path]!.get!.parameters.flatMap(({ name, schema }) =>
      /^(page|page_size|limit|offset)$/.test(name)
        ? [[name, (schema as { default?: unknown }).default]]
        : [],
    ),
  )

test.each([
  ['/orders', { page: 1, page_size: 20 }],
  ['/agent/payments', { page: 1, page_size: 20 }],
  ['/transactions', { limit: 20 }],
  ['/deposits', { limit: 20, offset: 0 }],
  ['/webhooks/{id}/deliveries', { limit: 20, offset: 0 }],
  ['/autoenergy/subscriptions/{address}/usage', { limit: 100, offset: 0 }],
  ['/autoenergy/subscriptions/{address}/billing', { limit: 100, offset: 0 }],
])('the page of %s that nobody asked for in numbers', (path, defaults) => {
  expect(pagingOf(path)).toEqual(defaults)
})
