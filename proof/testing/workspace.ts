import { createServer, mount } from '../../service/http/index.ts'
import { silentLog, systemRuntime } from '../../service/kernel/index.ts'
import { checkoutRoutes } from '../../service/orders/index.ts'
import { type Answer, request, type TestAccount, type TestApp } from './app.ts'

/**
 * The checkout routes on their own mount, where the caller names its account: tests of money need
 * no cookie.
 */
export type Workspace = {
  call(account: TestAccount, method: string, path: string, body?: unknown): Promise<Answer>
  close(): Promise<void>
}

const HEADER = 'x-test-account'

export async function openWorkspace({ rooms }: TestApp): Promise<Workspace> {
  const app = createServer({ runtime: systemRuntime(), log: silentLog, trustedProxies: [] })
  const guard = (request: { headers: Record<string, unknown> }) => String(request.headers[HEADER])
  mount(app, { prefix: '/app/v1', routes: checkoutRoutes(rooms), guard })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    call: (account, method, path, body) =>
      request(url, method, `/app/v1${path}`, { body, headers: { [HEADER]: account.account_id } }),
    close: () => app.close(),
  }
}
