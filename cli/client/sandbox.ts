import { didYouMean } from '../nearest.ts'
import { readArguments, sunOf, wholeNumber, words } from './arguments.ts'
import { call } from './call.ts'
import { connect, findPlace } from './connection.ts'
import { count, printJson, printTable, trx, when } from './output.ts'
import { Unusable } from './unusable.ts'

const OPTIONS = { trx: { type: 'string' } } as const
const FAUCET_TRX = '1000'
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }
const BEHAVIOURS =
  'ok fail timeout_after_accept timeout_before_accept lost_delegation partial late taken_back down'.split(
    ' ',
  )

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>['values']
type Ask = (method: string, path: string, body?: unknown) => Promise<unknown>
type Act = (ask: Ask, rest: string[], values: Values) => Promise<number>
type Provider = { name: string; behaviour: string; price_sun: number; capacity: number }

/** What only a sandbox can: its faucet, its clock, its chain and the faults of its providers. */
export async function sandbox(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS)
  const [action = 'clock', ...rest] = positionals
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (!act) {
    const hint = didYouMean(action, SANDBOX_VERBS)
    throw new Unusable(`"${action}" is not something a sandbox does.${hint}`)
  }
  const { baseUrl, sandbox: file } = findPlace(values)
  const at = file?.sandbox_url ?? `${new URL(baseUrl).origin}/sandbox`
  const ask: Ask = async (method, path, body) => (await call(`${at}${path}`, { method, body })).body
  return act(ask, rest, values)
}

const ACTIONS: Record<string, Act> = {
  async clock(ask, rest, { json }) {
    words(rest)
    return showTime(await ask('GET', '/clock'), json)
  },
  async faucet(ask, rest, values) {
    const [given] = words(rest, ...(rest.length > 0 ? ['ADDRESS'] : []))
    const to = given ?? (await connect(values).ergon.account()).deposit_address
    const amount = sunOf(values.trx ?? FAUCET_TRX, '--trx')
    const sent = (await ask('POST', '/faucet', { to, amount_sun: Number(amount) })) as {
      txid: string
    }
    if (values.json) printJson(sent)
    else console.log(`${trx(amount)} sent to ${to} by ${sent.txid}`)
    return 0
  },
  async advance(ask, rest, { json }) {
    const [duration] = words(rest, 'DURATION')
    return showTime(await ask('POST', '/clock', { advance_seconds: secondsOf(duration!) }), json)
  },
  async mine(ask, rest, { json }) {
    const [blocks = '1'] = words(rest, ...(rest.length > 0 ? ['BLOCKS'] : []))
    const mined = await ask('POST', '/chain/mine', { blocks: wholeNumber(blocks, 'BLOCKS') })
    const { head } = mined as { head: { number: number } }
    if (json) printJson(mined)
    else console.log(`The chain is at block ${count(head.number)}.`)
    return 0
  },
  async fault(ask, rest, { json }) {
    if (rest.length === 0) {
      const { providers } = (await ask('GET', '/providers')) as { providers: Provider[] }
      return showProviders(providers, json)
    }
    const [name, behaviour] = words(rest, 'PROVIDER', 'BEHAVIOUR')
    if (!BEHAVIOURS.includes(behaviour!)) {
      const hint = didYouMean(behaviour!, BEHAVIOURS)
      throw new Unusable(`"${behaviour}" is no behaviour.${hint} ${BEHAVIOURS.join(', ')}.`)
    }
    const path = `/providers/${encodeURIComponent(name!)}`
    return showProviders([(await ask('POST', path, { behaviour })) as Provider], json)
  },
}

export const SANDBOX_VERBS = Object.keys(ACTIONS)

/** 90, 90s, 5m, 2h or 1d. */
function secondsOf(text: string): number {
  const [, number = '', unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? []
  const seconds = Number(number) * SECONDS[unit]!
  if (number !== '' && seconds > 0) return seconds
  throw new Unusable(`"${text}" is not a duration such as 90s, 5m, 2h or 1d.`)
}

function showTime(body: unknown, json: boolean | undefined): number {
  const { now } = body as { now: string }
  if (json) printJson({ now })
  else console.log(`It is ${when(now)} in the sandbox.`)
  return 0
}

function showProviders(providers: Provider[], json: boolean | undefined): number {
  if (json) printJson(providers)
  else {
    const rows = providers.map(({ name, behaviour, price_sun, capacity }) => [
      name,
      behaviour,
      `${price_sun} SUN`,
      count(capacity),
    ])
    printTable(['Provider', 'Behaviour', 'Price of one Energy', 'Energy'], rows, 'No providers.')
  }
  return 0
}
