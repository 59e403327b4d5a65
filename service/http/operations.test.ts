import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../proof/testing/app.ts'
import { until } from '../../proof/testing/until.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

function untilReady(node: TestApp) {
  return until('the node to be ready', async () => {
    const answer = await node.call('GET', '/readyz')
    return answer.status === 200 && answer
  })
}

test('/healthz and /readyz say that all is well, without a key', async () => {
  expect((await app.call('GET', '/healthz')).body).toEqual({ status: 'ok' })
  const ready = await untilReady(app)
  expect(ready.body).toEqual({ status: 'ready', troubles: {} })
})

test.each(['/healthz', '/readyz', '/metrics', '/openapi.json'])(
  '%s takes no other method',
  async (path) => {
    const answer = await app.call('POST', path, { body: {} })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  },
)

test('/readyz says what is wrong while the database is away, and recovers', async () => {
  const apart = await openTestApp()
  await untilReady(apart)
  const [row] = await apart.database.sql<{ name: string }>('select current_database() as name')
  await apart.database.sql(`revoke connect on database ${row!.name} from public, ergon_app`)
  await apart.database.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ergon_app'
        and datname = current_database()`,
  )
  const unready = await until('the node to notice', async () => {
    const answer = await apart.call('GET', '/readyz')
    return answer.status === 503 && answer
  })
  expect(unready.body).toMatchObject({
    status: 'not ready',
    troubles: { database: expect.any(String) },
  })
  expect((await apart.call('GET', '/healthz')).status).toBe(200)
  await apart.database.sql(`grant connect on database ${row!.name} to ergon_app`)
  await untilReady(apart)
  await apart.close()
})

test('/metrics counts answers by route and status; nothing a client sends becomes a label', async () => {
  const { api_key } = await app.newAccount()
  await app.call('GET', '/v1/account', { key: api_key })
  await app.call('GET', '/v1/canary-path?canary=1', { key: 'erg_canary' })
  const { text } = await app.call('GET', '/metrics')
  expect(text).toContain(
    'ergon_http_answers_total{method="GET",route="/v1/account",status="200"} 1',
  )
  const timed = [...text.matchAll(/ergon_http_answer_seconds_(\w+)\{(.*?)\} (\S+)/g)]
    .filter(([, , labels]) => labels!.includes('route="/v1/account"'))
    .map(([, name, , value]) => [name, Number(value)] as const)
  const buckets = timed.filter(([name]) => name === 'bucket').map(([, value]) => value)
  // Each bucket includes those before it, the last one includes all.
  expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
  expect(buckets.at(-1)).toBe(1)
  expect(timed).toContainEqual(['count', 1])
  expect(timed.find(([name]) => name === 'sum')![1]).toBeGreaterThan(0)
  expect(text).not.toContain('canary')
  expect(text).not.toContain(api_key)
})

test('with a port of its own, /metrics is not on the main one', async () => {
  const metricsAt = { host: '127.0.0.1', port: await freePort() }
  const apart = await openTestApp({ metricsAt })
  expect((await apart.call('GET', '/metrics')).status).toBe(404)
  const answer = await fetch(`http://127.0.0.1:${metricsAt.port}/metrics`)
  expect(await answer.text()).toContain('ergon_process_cpu_seconds_total')
  await apart.close()
})

test('the description of the API is served as it is built', async () => {
  const { body, headers } = await app.call('GET', '/openapi.json')
  expect(headers.get('content-type')).toContain('application/json')
  expect([body.openapi, body.info.version]).toEqual(['3.1.0', '0.1.0'])
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
