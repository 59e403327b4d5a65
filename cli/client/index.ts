import { ApiError, ConnectionError, ErgonError, WaitTimeoutError } from '../../sdk/index.ts'
import type { Command, Commands } from '../command.ts'
import { PROGRAM } from '../program.ts'
import { AGENT_VERBS, agent } from './agent.ts'
import { AUTOENERGY_VERBS, autoenergy } from './autoenergy.ts'
import { events } from './events.ts'
import { KEY_VERBS, keys } from './keys.ts'
import { listen } from './listen.ts'
import { login, logout } from './login.ts'
import { open, PAGES } from './open.ts'
import { balance, buy, deposits, estimate, orders, quote, transactions } from './purchase.ts'
import { isRefusal } from './refusal.ts'
import { SANDBOX_VERBS, sandbox } from './sandbox.ts'
import { status } from './status.ts'
import { Unusable } from './unusable.ts'
import { WEBHOOK_VERBS, webhooks } from './webhooks.ts'

/** Loaded when it is called: the protocol's library takes longer than any other command. */
const mcp: Run = async (args) => (await import('./mcp/index.ts')).mcp(args)

type Run = (args: string[]) => Promise<number>
type Words = Omit<Command, 'run'>

const REFUSED = 1
const UNUSABLE = 2
const UNKNOWN = 3

const CONNECTION = `Every client command takes
  --url URL   base address
  --key KEY   API key
  --json      the answer as JSON
Without --url and --key: ERGON_URL and ERGON_KEY (better for keys: others can read a command line), then
.data/sandbox.json of this folder or one above it, then ${PROGRAM} login.

Exit codes: 0 done; 1 refused, or the order failed; 2 the command line is wrong;
3 no answer: what was asked may have been done.`

const A_WALLET = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'

/** The client's commands, which use only the public API. */
export const clientCommands: Commands = {
  ...inGroup('Buy Energy', {
    estimate: command(estimate, {
      summary: 'The price of Energy now; 1 if that much cannot be ordered',
      example: 'estimate 65000',
      usage: 'ENERGY',
    }),
    quote: command(quote, {
      summary: 'Holds the price of Energy for a minute',
      example: 'quote 65000',
      usage: 'ENERGY',
    }),
    buy: command(buy, {
      summary: 'Buys Energy for an address, for an hour',
      example: `buy ${A_WALLET} 65000 --wait`,
      usage: `ADDRESS ENERGY
  --wait                 until it is delivered or failed, with a progress line
  --max-price TRX        refuse when it costs more
  --quote QUOTE_ID       at the price that was held by quote, once
  --idempotency-key KEY  the same key never buys twice; one is made without it
--file FILE [ENERGY] [--all]
  buys for each line of FILE: an address, and its Energy if it is another; - is standard input
  --all                  all of them or none, at most 100
  --idempotency-key KEY  the beginning of each key; the line's number follows`,
    }),
    orders: command(orders, {
      summary: 'The newest orders, or one order',
      example: 'orders --limit 5',
      usage: '[ORDER_ID] [--limit 20] [--to ADDRESS]',
    }),
  }),
  ...inGroup('Your money', {
    balance: command(balance, {
      summary: 'Balance and deposit address',
      example: 'balance',
      usage: '',
    }),
    deposits: command(deposits, {
      summary: 'The newest deposits, and where to send more',
      example: 'deposits --limit 5',
      usage: '[--limit 20]',
    }),
    transactions: command(transactions, {
      summary: 'Every change of the balance, the newest first',
      example: 'transactions --limit 5',
      usage: '[--limit 20]',
    }),
  }),
  ...inGroup('Keep addresses supplied, and resell', {
    autoenergy: command(autoenergy, {
      summary: 'Addresses that always have Energy',
      example: `autoenergy add ${A_WALLET} --daily-budget 20`,
      verbs: AUTOENERGY_VERBS,
      usage: `[list]
  add ADDRESS [--plan NAME] [--idle-hours 24|48|72] [--quota TRANSFERS] [--signature HEX]
              [--daily-budget TRX] [--monthly-budget TRX]   covered until it is spent
  add ADDRESS ADDRESS | --file FILE   many with the same terms: one address on each line; - is standard input
  reactivate ADDRESS [--signature HEX]   proof that the address is yours, if it is barred
              [--daily-budget TRX|none] [--monthly-budget TRX|none]
  show | close | delete ADDRESS
  usage | billing ADDRESS [--limit 20]`,
    }),
    agent: command(agent, {
      summary: 'Resale of Energy by pay pages',
      example: 'agent create --energy 65000 --price 9 --title Kiosk',
      verbs: AGENT_VERBS,
      usage: `[summary]
  quote ENERGY
  configs
  create --energy ENERGY --price TRX [--max-units 1] [--title TEXT]
         [--address YOURS [--signature HEX]]   without it an address is made for you
  pause | resume | delete CONFIG_ID
  payments [--config CONFIG_ID] [--limit 20]
  deliver PAYMENT_ID   sells a payment that was skipped, at the cost of now`,
    }),
  }),
  ...inGroup('Events', {
    webhooks: command(webhooks, {
      summary: 'Where events are sent, and what became of them',
      example: 'webhooks add https://shop.example/hook --events order.status_changed',
      verbs: WEBHOOK_VERBS,
      usage: `[list]
  add URL [--name TEXT] [--events TYPE,TYPE]   prints the signing secret, once
  enable | disable | test | rotate | delete WEBHOOK_ID
  deliveries WEBHOOK_ID [--limit 20]
  resend WEBHOOK_ID DELIVERY_ID
  replay WEBHOOK_ID --from TIME [--to TIME] [--events TYPE,TYPE]   sends the events of a time again`,
    }),
    events: command(events, {
      summary: 'Events of the last 30 days, the oldest first, from a place on',
      example: 'events --limit 5',
      usage: '[--limit 20] [--cursor CURSOR]\nPrints the cursor to go on from at its end.',
    }),
    listen: command(listen, {
      summary: 'Forwards events of a sandbox to your own server until it is stopped',
      example: 'listen http://localhost:3000/hook',
      usage: `URL [--events order.status_changed,balance.changed]
The webhook and its signing secret stay for the next run; meanwhile it is disabled.`,
    }),
  }),
  ...inGroup('Sandbox', {
    sandbox: command(sandbox, {
      summary: "The sandbox's clock, faucet, chain and faults",
      example: 'sandbox advance 2h',
      verbs: SANDBOX_VERBS,
      usage: `[clock]
  faucet [ADDRESS] [--trx 1000]   without an address: to your deposit address
  advance DURATION                90s, 5m, 2h or 1d
  mine [BLOCKS]
  fault                           how each provider behaves
  fault PROVIDER BEHAVIOUR        ok, fail, down, late, partial and others`,
    }),
  }),
  ...inGroup('This machine', {
    login: command(login, {
      summary: 'Keeps address and key for the commands that follow',
      example: 'login --url https://ergon.example/v1',
      usage: `Asks for what is not given; standard input can be a file with the key.
Both are kept in ergon/login.json of your configuration folder (XDG_CONFIG_HOME), readable by you alone.`,
    }),
    logout: command(logout, {
      summary: 'Removes address and key that login has kept',
      example: 'logout',
      usage: '',
    }),
    status: command(status, {
      summary: 'Whether the service answers and takes your key; 1 if not',
      example: 'client status',
      usage: '',
    }),
    mcp: command(mcp, {
      summary: 'Serves a language model over standard input and output (MCP)',
      example: 'mcp --spend 20',
      usage: `[--spend TRX] [--web URL]
Reads only: estimate, balance, orders, documentation. With --spend the model can also buy, up to that much
until the program ends; for more a person is asked.
  --web URL   the pages, if they are not where the API is`,
    }),
    keys: command(keys, {
      summary: 'Your API keys; you sign in for that, because a key cannot make keys',
      example: 'keys add --name shop',
      verbs: KEY_VERBS,
      usage: `[list]
  add [--name TEXT]   prints the key, once
  revoke KEY_ID
  --email E-MAIL      the password is typed, or in ERGON_PASSWORD; in a sandbox neither is needed
  --code CODE         of your authenticator app, if you have one
  --web URL           the pages, if they are not where the API is`,
    }),
    open: command(open, {
      summary: 'Opens the workspace, the docs or the console in a browser',
      example: 'open docs',
      verbs: Object.keys(PAGES),
      usage: `[workspace | docs | console] [--web URL]`,
    }),
  }),
}

function command(run: Run, words: Words): Command {
  return {
    ...words,
    usage: `${words.usage}\n\n${CONNECTION}`,
    run: (args) => run(args).catch(explain),
  }
}

function inGroup(group: string, commands: Commands): Commands {
  const all = Object.entries(commands).map(([name, one]) => [name, { ...one, group }])
  return Object.fromEntries(all)
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
  console.error(error instanceof ApiError ? `${error.message} (${error.code})` : error.message)
  if (error instanceof ConnectionError) console.error('Is the service running at that address?')
  if (error instanceof WaitTimeoutError) {
    console.error(`It may still be: look with ${PROGRAM} orders`)
  }
  if (!isRefusal(error) && error.idempotencyKey) {
    console.error(`Ask again with --idempotency-key ${error.idempotencyKey}: it buys once.`)
  }
  return isRefusal(error) ? REFUSED : UNKNOWN
}
