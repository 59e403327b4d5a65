import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseAddress, toBase58 } from '@ergon/tron'
import { CannotStart, environment, systemRuntime } from '../../kernel/index.ts'
import {
  type Change,
  changed,
  createSignerFiles,
  isOperator,
  readTrust,
  type Trust,
  textOfChange,
  writeTrust,
} from '../../signer/index.ts'
import { isApprovalKey } from '../../signing/index.ts'
import { type Line, readLine, Unclear } from '../options.ts'
import { EXIT } from './response.ts'
import { troubleOf } from './troubleOf.ts'

/** `npx ergon signer …`: changes the approval keys and destinations in the files of the signer's machine. */
export function runSignerFiles(args: string[]): number {
  const line = readLine(args)
  const folder = line.option('dir') || environment().SIGNER_DIR || ''
  try {
    if (!folder) throw new CannotStart('Say where its files are: --dir FOLDER, or SIGNER_DIR.')
    return runWord(line, folder)
  } catch (error) {
    if (error instanceof Unclear) throw error
    console.error(troubleOf(error))
    return EXIT.refused
  }
}

const FILE_WORDS = ['init', 'keys', 'allow', 'treasury', 'witnesses']

/** Whether a subcommand uses the signer's files; the others use its database. */
export function isOfSignerFiles([word = '']: string[]): boolean {
  return FILE_WORDS.includes(word)
}

function runWord(line: Line, folder: string): number {
  const [word, verb] = line.words
  if (word === 'init') return init(line, folder)
  if (verb === undefined || verb === 'list') return list(line, readTrust(folder))
  const change = changeIn(line)
  if (!change) {
    throw new Unclear(
      'Write add or remove, then NAME=KEY, KEY or ADDRESS; treasury also needs caps.',
    )
  }
  const trust = readTrust(folder)
  if (line.option('text') !== '') return text(line, textOfChange(trust, change))
  return apply(line, { folder, trust, change })
}

function init(line: Line, folder: string): number {
  const [chain, hot] = [line.option('chain'), addressIn(line.option('hot'))]
  const keys = line.option('keys').split(',').map(operatorAndKey)
  if (!/^[0-9a-f]{64}$/.test(chain)) throw new Unclear('--chain needs 64 hexadecimal digits.')
  if (!hot) throw new Unclear("--hot needs the hot wallet's address.")
  if (keys.includes(undefined)) throw new Unclear('--keys needs NAME=KEY, with commas between.')
  const now = systemRuntime().clock.wallMs()
  const isFirst = line.option('first') !== ''
  createSignerFiles(folder, { chain, hot, keys: keys.flatMap((one) => one ?? []), now, isFirst })
  return list(line, readTrust(folder))
}

function operatorAndKey(text: string) {
  const [operator = '', key = ''] = text.split('=')
  return isOperator(operator) && isApprovalKey(key) ? { operator, key } : undefined
}

const LISTS = { allow: 'destination', treasury: 'treasury', witnesses: 'witness' } as const

function changeIn(line: Line): Change | undefined {
  const [word, verb, what = ''] = line.words
  if (word === 'keys') {
    if (verb === 'remove' && isApprovalKey(what)) return { remove: 'key', key: what }
    const given = operatorAndKey(what)
    return verb === 'add' && given ? { add: 'key', ...given } : undefined
  }
  const address = addressIn(what)
  if (!address) return undefined
  const list = LISTS[word as keyof typeof LISTS]
  if (verb === 'remove') return { remove: list, address }
  if (verb !== 'add') return undefined
  if (list !== 'treasury') return { add: list, address }
  const [hourlyTrx, dailyTrx] = [Number(line.option('hourly')), Number(line.option('daily'))]
  const isCap = (trx: number) => Number.isInteger(trx) && trx > 0
  if (!isCap(hourlyTrx) || !isCap(dailyTrx)) return undefined
  return { add: list, address, hourlyTrx, dailyTrx }
}

/** The address in base58, as in approvals. */
function addressIn(text: string): string | undefined {
  const address = parseAddress(text)
  return address && toBase58(address)
}

function text(line: Line, toSign: string): number {
  line.say({ text: toSign }, toSign.trimEnd())
  return EXIT.done
}

function apply(line: Line, of: { folder: string; trust: Trust; change: Change }): number {
  const { folder, trust, change } = of
  const now = systemRuntime().clock.wallMs()
  const done = changed(trust, change, { now, signatures: signaturesIn(line) })
  if ('refused' in done) {
    console.error(done.refused)
    return EXIT.refused
  }
  writeTrust(folder, done.trust)
  const { effectiveFrom } = done
  line.say({ effectiveFrom }, `It holds from ${effectiveFrom} on.`)
  return EXIT.done
}

/** Signatures as `operator-key sign` prints them: key:signature, separated by commas. */
function signaturesIn(line: Line) {
  const given = line.option('signed')
  return given === ''
    ? []
    : given.split(',').map((one) => {
        const [key = '', signature = ''] = one.trim().split(':')
        return { key, signature }
      })
}

function list(line: Line, trust: Trust): number {
  const text = [
    `chain       ${trust.chain}`,
    `hot wallet  ${trust.hot}`,
    ...trust.keys.map((one) => `key         ${one.key} ${one.operator}, from ${one.effectiveFrom}`),
    ...trust.destinations.map((one) => `allowed     ${one.address}, from ${one.effectiveFrom}`),
    ...trust.treasury.map(
      (one) =>
        `treasury    ${one.address}, ${one.hourlyTrx} TRX an hour, ${one.dailyTrx} a day, from ${one.effectiveFrom}`,
    ),
    ...(trust.witnesses ?? []).map(
      (one) => `witness     ${one.address}, from ${one.effectiveFrom}`,
    ),
  ]
  line.say(trust, text.join('\n'))
  return EXIT.done
}

/** Creates the sandbox's signer files with its operators; existing files are not changed. */
export function ensureSignerFiles(
  folder: string,
  of: { chain: string; hot: string; keys: { operator: string; key: string }[] },
): void {
  if (existsSync(join(folder, 'trust.json'))) return
  createSignerFiles(folder, { ...of, now: systemRuntime().clock.wallMs(), isFirst: true })
}
