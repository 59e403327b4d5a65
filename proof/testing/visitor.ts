import { type Answer, request } from './house.ts'

/** A browser in front of the workspace: it keeps cookies and says where its page is from. */
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

/** Somebody new, signed in. */
export async function signUp(url: string, email = `v${++count}.${process.pid}@example.com`) {
  const visitor = openVisitor(url)
  const answer = await visitor.call('POST', '/session/sign-up', { email, password: PASSWORD })
  if (answer.status !== 200) throw new Error(`no sign-up: ${answer.text}`)
  return { ...visitor, email }
}
