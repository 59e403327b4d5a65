import { didYouMean } from '../nearest.ts'
import { readArguments, words } from './arguments.ts'
import { call, Refused } from './call.ts'
import { findPlace, type Place } from './connection.ts'
import { printJson, printTable, when } from './output.ts'
import { typed } from './typed.ts'
import { Unusable } from './unusable.ts'
import { webUrlOf } from './web.ts'

const OPTIONS = {
  name: { type: 'string' },
  email: { type: 'string' },
  code: { type: 'string' },
  web: { type: 'string' },
} as const

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>['values']
type Entered = { totp_required: boolean; second_step?: string[] }
type Ask = (method: string, path: string, body?: unknown) => Promise<unknown>
type Act = (ask: Ask, rest: string[], values: Values) => Promise<number>
type Key = { id: string; name: string; last_four: string; created_at: string; api_key?: string }

const ONLY_PASSKEY =
  'Your second step is a passkey, which only a browser shows. Make the key in the workspace, or set up an authenticator app.'

/** API keys. A key cannot make or revoke keys: this signs in as a person, and out again. */
export async function keys(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS)
  const [action = 'list', ...rest] = positionals
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (!act) {
    throw new Unusable(`"${action}" is not something keys do.${didYouMean(action, KEY_VERBS)}`)
  }
  const place = findPlace(values)
  const ask = await signIn(place, values)
  try {
    return await act(ask, rest, values)
  } finally {
    await ask('POST', '/session/sign-out').catch(() => {})
  }
}

const ACTIONS: Record<string, Act> = {
  async list(ask, rest, { json }) {
    words(rest)
    const { keys: found } = (await ask('GET', '/keys')) as { keys: Key[] }
    if (json) printJson(found)
    else {
      const rows = found.map((key) => [key.id, `…${key.last_four}`, key.name, when(key.created_at)])
      printTable(['Key', 'Ends in', 'Name', 'Made'], rows, 'No keys yet.')
    }
    return 0
  },
  async add(ask, rest, { json, name }) {
    words(rest)
    const made = (await ask('POST', '/keys', name === undefined ? {} : { name })) as Key
    if (json) printJson(made)
    else console.log(`${made.api_key}\nIt is shown this once. Its id is ${made.id}.`)
    return 0
  },
  async revoke(ask, rest, { json }) {
    const [id] = words(rest, 'KEY_ID')
    await ask('DELETE', `/keys/${encodeURIComponent(id!)}`)
    if (json) printJson({ id })
    else console.log(`${id} is revoked.`)
    return 0
  },
}

export const KEY_VERBS = Object.keys(ACTIONS)

/** Signs in by e-mail and password: those of a sandbox are in its file, others are typed. */
async function signIn(place: Place, { email, code, web }: Values): Promise<Ask> {
  const origin = webUrlOf(place, web)
  const cookies = new Map<string, string>()
  const ask: Ask = async (method, path, body) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { origin, ...(cookie && { cookie }) }
    const answer = await call(`${origin}/app/v1${path}`, { method, headers, body })
    for (const line of answer.cookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      cookies.set(name!, value!)
    }
    return answer.body
  }
  const demo = email === undefined ? place.sandbox?.accounts[0] : undefined
  const person = demo ?? {
    email: email ?? (await typed('E-mail')),
    password: process.env.ERGON_PASSWORD || (await typed('Password', { hidden: true })),
  }
  const login = { email: person.email, password: person.password }
  const entered = (await ask('POST', '/session/sign-in', login)) as Entered
  if (entered.totp_required) {
    // Passkeys are shown at a browser.
    if (entered.second_step && !entered.second_step.includes('code'))
      throw new Refused(ONLY_PASSKEY)
    await ask('POST', '/session/code', { code: code ?? (await typed('Code of your app')) })
  }
  return ask
}
