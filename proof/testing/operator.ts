import { type Answer, request, type TestHouse } from './house.ts'
import { openVisitor, PASSWORD, type Visitor } from './visitor.ts'

/** A browser in front of the console, signed in as an operator of this name. */
export async function openOperator(house: TestHouse, email = 'op@example.com') {
  await house.console!.sessions.createOperator(email, PASSWORD)
  const visitor = atConsole(house.url)
  const answer = await visitor.call('POST', '/session/sign-in', { email, password: PASSWORD })
  if (answer.status !== 200) throw new Error(`no operator: ${answer.text}`)
  return { ...visitor, email }
}

/** The same browser as the workspace's, whose calls go to the operators' mount. */
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
