import { createOTP } from '@better-auth/utils/otp'
import type { Role } from '@ergon/contract'
import { createOperatorRoles } from '../../service/identity/index.ts'
import { systemRuntime } from '../../service/kernel/index.ts'
import { type Answer, request, type TestApp } from './app.ts'
import { openVisitor, PASSWORD, type Visitor } from './visitor.ts'

/** The secret of the authenticator apps of all operators in tests. */
const SECRET = 'a secret of operators in tests!!'

/** The app's current code. Earlier codes count as used long ago, so it is accepted. */
export async function codeOfOperator({ database }: TestApp, email: string): Promise<string> {
  await database.sql(`update better_auth."twoFactor" set "lastStep" = 0
    where "userId" = (select id from better_auth."user" where email = '${email}')`)
  return createOTP(SECRET).totp()
}

/** An operator with an authenticator app. */
export const createOperator = (app: TestApp, email: string, role: Role = 'administrator') =>
  app.console!.sessions.createOperator(email, PASSWORD, { totpSecret: SECRET, role })

/** A browser at the console, signed in with a code as an operator of this name. */
export async function openOperator(app: TestApp, email = 'op@example.com', role?: Role) {
  await createOperator(app, email, role)
  return { ...(await signInAsOperator(app, email)), email }
}

/** Signs in with password and code. */
export async function signInAsOperator(app: TestApp, email: string, from?: Visitor) {
  const visitor = from ?? atConsole(app.url)
  const first = await visitor.call('POST', '/session/sign-in', { email, password: PASSWORD })
  const answer = await visitor.call('POST', '/session/code', {
    code: await codeOfOperator(app, email),
  })
  if (answer.status !== 200) throw new Error(`no operator: ${first.text} ${answer.text}`)
  return visitor
}

/** A browser like the workspace's, whose calls go to the operators' mount. */
export function atConsole(url: string): Visitor {
  const { cookies } = openVisitor(url)
  return {
    cookies,
    async call(method, path, body, headers = {}): Promise<Answer> {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const own = { origin: url, ...(cookie && { cookie }), ...headers }
      const answer = await request(url, method, `/operator/v1${path}`, { body, headers: own })
      for (const line of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
        if (/max-age=0\b/i.test(line)) cookies.delete(name!)
        else cookies.set(name!, value!)
      }
      return answer
    },
  }
}

export const rolesOf = ({ db }: TestApp) =>
  createOperatorRoles({ db, clock: systemRuntime().clock })
