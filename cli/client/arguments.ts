import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { trxToSun } from '../../sdk/index.ts'
import { Unusable } from './unusable.ts'

/** Every client command has these. */
const COMMON = {
  url: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig

export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
) {
  try {
    return parseArgs({ args, options: { ...COMMON, ...options }, allowPositionals: true })
  } catch (error) {
    // Node's sentence goes on about arguments that begin with a dash.
    const [, option] = /^Unknown option '(.+?)'/.exec((error as Error).message) ?? []
    throw new Unusable(option ? `There is no option ${option} here.` : (error as Error).message)
  }
}

/** The words in order; too few or too many are an error with the names of the expected words. */
export function words(given: string[], ...names: string[]): string[] {
  const missing = names[given.length]
  if (missing) throw new Unusable(`${missing} is missing.`)
  if (given.length > names.length) {
    throw new Unusable(`"${given[names.length]}" is one word too many.`)
  }
  return given
}

/** 65000, 65_000 and 65,000 are the same number. */
export function wholeNumber(text: string, name: string): number {
  const digits = text.replaceAll(/[_,]/g, '')
  const number = Number(digits)
  if (/^\d{1,15}$/.test(digits) && number > 0) return number
  throw new Unusable(`${name} has to be a whole number above 0, and "${text}" is none.`)
}

export const limitOption = { limit: { type: 'string' } } as const

export function limitOf(text: string | undefined): number {
  return text === undefined ? 20 : wholeNumber(text, '--limit')
}

export function sunOf(trx: string, name: string): bigint {
  try {
    return trxToSun(trx)
  } catch {
    throw new Unusable(`${name} has to be an amount of TRX such as 2.5, and "${trx}" is none.`)
  }
}

/** The option --max-price, as a field of a purchase. */
export function priceLimit(trx: string | undefined): { max_price_sun?: bigint } {
  return trx === undefined ? {} : { max_price_sun: sunOf(trx, '--max-price') }
}
