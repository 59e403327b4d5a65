import { Ergon } from '../../sdk/index.ts'
import { PROGRAM } from '../program.ts'
import { readArguments, words } from './arguments.ts'
import { findPlace, withVersion } from './connection.ts'
import { forget, keep, type Login } from './kept.ts'
import { printJson, trx } from './output.ts'
import { typed } from './typed.ts'

/** Keeps address and key for later commands, after the service has accepted the key. */
export async function login(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {})
  words(positionals)
  const { ERGON_URL, ERGON_KEY } = process.env
  const url = values.url ?? (ERGON_URL || (await typed('Address of Ergon')))
  const key = values.key ?? (ERGON_KEY || (await typed('API key', { hidden: true })))
  // The same checks as for flags.
  const { baseUrl, apiKey } = findPlace({ url, key })
  const account = await new Ergon({ baseUrl, apiKey: apiKey!, retries: 1 }).account()
  const path = keep('login', { base_url: withVersion(url), api_key: apiKey! } satisfies Login)
  if (values.json) printJson({ base_url: baseUrl, file: path })
  else {
    console.log(`Signed in at ${baseUrl}; the balance is ${trx(account.balance_trx)}.`)
    console.log(`Address and key are in ${path}, for you alone. "${PROGRAM} logout" removes them.`)
  }
  return 0
}

export async function logout(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {})
  words(positionals)
  const removed = forget('login')
  if (values.json) printJson({ removed })
  else console.log(removed ? 'Address and key are removed.' : 'Nobody was signed in here.')
  return 0
}
