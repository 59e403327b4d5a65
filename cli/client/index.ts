import { ApiError, ConnectionError, ErgonError, WaitTimeoutError } from '../../sdk/index.ts'
import type { Command } from '../command.ts'
import { agent } from './agent.ts'
import { autoenergy } from './autoenergy.ts'
import { listen } from './listen.ts'
import { balance, buy, deposits, estimate, orders } from './purchase.ts'
import { Unusable } from './unusable.ts'

type Run = (args: string[]) => Promise<number>

const REFUSED = 1
const UNUSABLE = 2
const UNKNOWN = 3

const CONNECTION = `Every client command takes
  --url URL   base address, or ERGON_URL, or .data/sandbox.json
  --key KEY   API key, or ERGON_KEY (better: others can read a command line), or .data/sandbox.json
  --json      the answer as JSON

Exit codes: 0 done; 1 refused, or the order failed; 2 the command line is wrong;
3 no answer: what was asked may have been done.`

/** The client's commands, which use only the public API. */
export const clientCommands: Record<string, Command> = {
  balance: command('Balance and deposit address', '', balance),
  estimate: command('Price of Energy now: estimate 65000', 'ENERGY', estimate),
  buy: command(
    'Buys Energy for an hour: buy ADDRESS 65000 --wait',
    `ADDRESS ENERGY
  --wait                 until it is delivered or failed, with a progress line
  --max-price TRX        refuse when it costs more
  --idempotency-key KEY  the same key never buys twice; one is made without it`,
    buy,
  ),
  orders: command(
    'Newest orders, or one: orders ORDER_ID',
    '[ORDER_ID] [--limit 20] [--to ADDRESS]',
    orders,
  ),
  deposits: command('Newest deposits', '[--limit 20]', deposits),
  autoenergy: command(
    'Addresses that always have Energy: list, add, show, usage, billing, close, reactivate, delete',
    `[list]
  add ADDRESS [--plan NAME] [--idle-hours 24|48|72] [--quota TRANSFERS] [--signature HEX]
  reactivate ADDRESS [--signature HEX]   proof that the address is yours, if it is barred
  show | close | delete ADDRESS
  usage | billing ADDRESS [--limit 20]`,
    autoenergy,
  ),
  agent: command(
    'Resale of Energy: summary, quote, configs, create, pause, resume, delete, payments',
    `[summary]
  quote ENERGY
  configs
  create --energy ENERGY --price TRX [--max-units 1] [--title TEXT]
         [--address YOURS [--signature HEX]]   without it an address is made for you
  pause | resume | delete CONFIG_ID
  payments [--config CONFIG_ID] [--limit 20]`,
    agent,
  ),
  listen: command(
    'Forwards events of the sandbox to a local URL until it is stopped',
    'URL [--events order.status_changed,balance.changed]',
    listen,
  ),
}

function command(summary: string, usage: string, run: Run): Command {
  return {
    summary,
    usage: `${usage}\n\n${CONNECTION}`,
    run: (args) => run(args).catch(explain),
  }
}

function explain(error: unknown): number {
  if (error instanceof Unusable) {
    console.error(error.message)
    return UNUSABLE
  }
  if (!(error instanceof ErgonError)) {
    console.error(error instanceof Error ? error.message : String(error))
    return REFUSED
  }
  const isRefusal = error instanceof ApiError && error.status < 500
  console.error(error instanceof ApiError ? `${error.message} (${error.code})` : error.message)
  if (error instanceof ConnectionError) console.error('Is the service running at that address?')
  if (error instanceof WaitTimeoutError)
    console.error('It may still be: look with npx ergon orders')
  if (!isRefusal && error.idempotencyKey) {
    console.error(`Ask again with --idempotency-key ${error.idempotencyKey}: it buys once.`)
  }
  return isRefusal ? REFUSED : UNKNOWN
}
