import { toBase58 } from '@ergon/tron'
import { type Answer, request, type TestAccount, type TestApp } from './app.ts'

/** A browser at the workspace: it keeps cookies and sends the origin of its page. */
export type Visitor = {
  cookies: Map<string, string>
  call(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer>
}
type Headers = Record<string, string>

export function openVisitor(url: string): Visitor {
  const cookies = new Map<string, string>()
  return {
    cookies,
    async call(method, path, body, headers = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const own = { origin: url, ...(cookie && { cookie }), ...headers }
      const answer = await request(url, method, `/app/v1${path}`, { body, headers: own })
      for (const line of answer.headers.getSetCookie()) keep(cookies, line)
      return answer
    },
  }
}

function keep(cookies: Map<string, string>, line: string) {
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
  if (/max-age=0\b/i.test(line)) cookies.delete(name!)
  else cookies.set(name!, value!)
}

let count = 0
export const PASSWORD = 'correct horse battery'

/** Follows the link of an e-mail and sets a password. */
export function confirmSignUp(visitor: Visitor, link: string, password = PASSWORD) {
  const token = new URL(link).hash.slice(1)
  return visitor.call('POST', '/session/sign-up/confirm', { token, password })
}

/** A new user, signed in. */
export async function signUp(url: string, email = `v${++count}.${process.pid}@example.com`) {
  const visitor = openVisitor(url)
  const { link } = (await visitor.call('POST', '/session/sign-up', { email })).body
  const answer = await confirmSignUp(visitor, link)
  if (answer.status !== 200) throw new Error(`no sign-up: ${answer.text}`)
  return { ...visitor, email }
}

/** The same without an e-mail, for tests that count e-mails. */
export async function signUpWithoutLetter(app: TestApp) {
  const email = `v${++count}.${process.pid}@example.com`
  const login = { email, password: PASSWORD }
  await app.workspace!.sessions.signUp({}, { ...login, name: '', referralCode: '' })
  const visitor = openVisitor(app.url)
  await visitor.call('POST', '/session/sign-in', login)
  return { ...visitor, email }
}

/** A user who signed up, with a key and a deposit, as the sandbox creates an account. */
export async function accountOf(app: TestApp, visitor: Visitor): Promise<TestAccount> {
  const { account_id } = (await visitor.call('GET', '/session')).body
  const { deposit_address } = (await visitor.call('GET', '/account')).body
  const { api_key } = (await visitor.call('POST', '/keys')).body
  const from = toBase58(app.devnet.chain.network.funded[0]!.address)
  const body = { from, to: deposit_address, amount_sun: 50_000_000 }
  await app.call('POST', '/sandbox/chain/transfer', { body })
  return { account_id, api_key, deposit_address }
}

/** A second session of the same user, which a test may end. */
export async function anotherSession(app: TestApp, visitor: Visitor & { email: string }) {
  const other = openVisitor(app.url)
  await other.call('POST', '/session/sign-in', { email: visitor.email, password: PASSWORD })
  const { sessions } = (await other.call('GET', '/sessions')).body
  return sessions.find((session: { current: boolean }) => session.current).id as string
}
