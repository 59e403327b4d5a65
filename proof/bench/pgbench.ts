import { spawn } from 'node:child_process'
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import pg from 'pg'
import { type Measured, summary } from './load.ts'
import type { BenchAccount } from './seed.ts'

export type PgbenchOptions = {
  url: string
  script: 'interactive' | 'writes-only' | 'one-function'
  clients: number
  /** How many of the seeded accounts buy; 1 is a hot account. */
  accounts: number
  amount: number
  price: bigint
  /** Either a duration or an exact number of purchases. */
  seconds?: number
  transactions?: number
  /** Where it may put its script and its log temporarily. */
  folder: string
}

const THREADS_MAX = 2
/** Left out of the result: every client is a new backend that first compiles and plans. */
const RAMP_SECONDS = 1

/** The files that a script consists of, in order. */
const PARTS: Record<PgbenchOptions['script'], string[]> = {
  interactive: ['interactive', 'writes'],
  'writes-only': ['writes-only', 'writes'],
  'one-function': ['one-function'],
}

/** Debian's, from the server package of any version; undefined if it is not installed. */
export function findPgbench(path = process.env.PATH ?? ''): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, 'pgbench'))
    .find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * pgbench handles numbers only, so the accounts' ids are a constant in a function that is inlined.
 */
export async function preparePgbench(
  admin: { query(text: string): Promise<unknown> },
  given: { accounts: BenchAccount[]; receiver: string; priceTrx: string },
): Promise<void> {
  const ids = given.accounts.map(({ id }) => id).join(',')
  const constant = (name: string, returns: string, value: string) =>
    `create or replace function bench.${name} returns ${returns} language sql immutable as $$ select ${value} $$;`
  await admin.query(`
    create schema if not exists bench;
    grant usage on schema bench to ergon_app;
    ${constant('account_of(n int)', 'uuid', `('{${ids}}'::uuid[])[n]`)}
    ${constant('receiver()', 'text', pg.escapeLiteral(given.receiver))}
    ${constant('price_trx()', 'text', pg.escapeLiteral(given.priceTrx))}
  `)
}

export async function runPgbench(program: string, options: PgbenchOptions): Promise<Measured> {
  const { url, script, clients, seconds, transactions } = options
  const folder = mkdtempSync(join(options.folder, 'pgbench-'))
  const logs = join(folder, 'logs')
  mkdirSync(logs)
  const file = join(folder, 'script.sql')
  writeFileSync(file, PARTS[script].map(readScript).join(''))
  const flags = [
    ...[
      '-n',
      '-M',
      'prepared',
      '-c',
      String(clients),
      '-j',
      String(Math.min(clients, THREADS_MAX)),
    ],
    ...['-f', file],
    ...['-D', `accounts=${options.accounts}`, '-D', `amount=${options.amount}`],
    ...['-D', `price=${options.price}`, '-l', '--log-prefix', join(logs, 'times')],
    ...(transactions ? ['-t', String(transactions)] : ['-T', String(seconds! + RAMP_SECONDS)]),
  ]
  try {
    const output = await outputOf(program, [...flags, url])
    if (!/failed transactions: 0 /.test(output)) throw new Error(output)
    const ramp = transactions ? 0 : RAMP_SECONDS
    return measuredIn(logs, ramp)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readScript(name: string): string {
  return readFileSync(join(import.meta.dirname, 'scripts', `${name}.sql`), 'utf8')
}

/**
 * Its log has a line per transaction: client, number, microseconds it took, script, when it ended.
 */
function measuredIn(folder: string, rampSeconds: number): Measured {
  const lines = readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number))
      .map(([, , micros = 0, , seconds = 0, fraction = 0]) => ({
        tookMs: micros / 1_000,
        endedAt: seconds + fraction / 1_000_000,
      })),
  )
  const first = lines.reduce(
    (least, one) => Math.min(least, one.endedAt - one.tookMs / 1_000),
    Infinity,
  )
  const began = first + rampSeconds
  const counted = lines.filter(({ endedAt }) => endedAt > began)
  const last = counted.reduce((latest, { endedAt }) => Math.max(latest, endedAt), began)
  const times = summary(counted.map(({ tookMs }) => tookMs))
  return { ...times, perSecond: counted.length / (last - began) }
}

function outputOf(program: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let complaint = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0 ? resolve(out) : reject(new Error(complaint.slice(0, 600))),
    )
  })
}
