import { statfsSync } from 'node:fs'
import { troubleOfPages } from '../../web/index.ts'
import { type Db, openSchemaPool } from '../db/index.ts'
import {
  createInvitations,
  createOperatorRoles,
  createOperators,
  createSessions,
} from '../identity/index.ts'
import {
  createLog,
  environment,
  type Settings,
  systemRandom,
  systemRuntime,
} from '../kernel/index.ts'
import {
  type Command,
  EXIT,
  isOfSignerFiles,
  type Line,
  notUnderstood,
  commands as operatorCommands,
  readLine,
  runAccounts,
  runAdjust,
  runAnnouncements,
  runBars,
  runConfirm,
  runDoctor,
  runFloats,
  runFollowed,
  runGroups,
  runHotWallet,
  runIncidents,
  runInvoices,
  runLog,
  runOperators,
  runOrder,
  runPayout,
  runPlans,
  runProviders,
  runReconcile,
  runRecover,
  runReferral,
  runReport,
  runSchedule,
  runSignerFiles,
  runSigning,
  runSql,
  runStakes,
  runStatements,
  runStatus,
  runSwitches,
  runUndecided,
  Unclear,
  understood,
  usage,
} from '../operator/index.ts'
import { databaseUrls, operatorNamed, signerFolder, withRooms, withSigner } from './commandRooms.ts'
import { assertPortFree, isClaimed } from './dataFolder.ts'
import { renderInvoice } from './invoicePage.ts'
import { MAINNET_USDT, type Rooms } from './rooms.ts'
import { findingSandbox } from './runningSandbox.ts'
import { sandboxCode } from './sandboxCode.ts'
import { SANDBOX_DEPOSIT_XPUB, SANDBOX_USDT_CONTRACT } from './sandboxNetwork.ts'
import { SANDBOX_OPERATORS } from './sandboxOperators.ts'
import { readSecretsKeys } from './secretsKey.ts'

const isJson = (args: string[]) => args.includes('--json')

/** All commands of `npx ergon` inside the repository: the operators' commands, and those that need rooms. */
const all: Record<string, Command> = {
  ...operatorCommands,
  accounts: {
    summary: 'Finds accounts with their balance, gives VIP discounts, blocks and unblocks',
    usage: usage.accounts,
    run: (args) => withRooms((rooms) => runAccounts(rooms, args)),
  },
  adjust: {
    summary: "Corrects a client's balance; above the limit a second person approves",
    usage: usage.adjust,
    run: (args) => withRooms(({ operator }) => runAdjust(operator, args)),
  },
  announcements: {
    summary: 'What clients are told, and maintenance: list, write, edit, end, withdraw',
    usage: usage.announcements,
    run: (args) =>
      withRooms(({ operator }, { clock }) => runAnnouncements({ operator, clock }, args)),
  },
  audit: {
    summary: 'Checks the books; names the first broken invariant with its rows and stops selling',
    usage: usage.audit,
    run: (args) => withRooms(({ audit }) => runAudit(audit, isJson(args))),
  },
  bars: {
    summary:
      'Addresses that AutoEnergy does not cover because others used their Energy: list, lift ID',
    usage: usage.bars,
    run: (args) => withRooms((rooms) => runBars(rooms, args)),
  },
  doctor: {
    summary: 'Says what is wrong with this setup, and what to do about it',
    usage: usage.doctor,
    run: (args) => runDoctor(patient(), args),
  },
  floats: {
    summary: 'Prepaid balances at marketplaces: floor, ceiling, top-ups and what became of them',
    usage: usage.floats,
    run: (args) => withRooms((rooms) => runFloats(rooms, args)),
  },
  groups: {
    summary: 'Groups of clients: lists them, makes one, moves an account',
    usage: usage.groups,
    run: (args) => withRooms((rooms) => runGroups(rooms, args)),
  },
  invoices: {
    summary: 'Invoices by month: list ID, show ID MONTH, issue those of months that are over',
    usage: usage.invoices,
    run: (args) =>
      withRooms((rooms, { clock }) =>
        runInvoices(rooms, args, { clock, invoicePage: renderInvoice }),
      ),
  },
  operators: {
    summary: 'Who may sign in at the console: list, invite, add, role, totp, remove E-MAIL',
    usage: usage.operators,
    run: (args) =>
      args[0] === 'code'
        ? showSandboxCode(args)
        : withRooms((rooms, { db, settings }) => withOperators(rooms, { db, settings, args })),
  },
  order: {
    summary: 'Everything about one order, in order of time: show ID',
    usage: usage.order,
    run: (args) => withRooms((rooms) => runOrder(rooms, args)),
  },
  'hot-wallet': {
    summary: 'Floor, ceiling and cold address of the hot wallet, and what it needs tomorrow',
    usage: usage['hot-wallet'],
    run: (args) => withRooms((rooms) => runHotWallet(rooms, args)),
  },
  payout: {
    summary: "Pays out a client's balance: request, text to sign, approve, cancel, list",
    usage: usage.payout,
    run: (args) => withRooms((rooms) => runPayout(rooms, args)),
  },
  incidents: {
    summary: 'What the status page says went wrong: list, open, update, withdraw',
    usage: usage.incidents,
    run: (args) => withRooms(({ operator }) => runIncidents(operator, args)),
  },
  log: {
    summary: 'What operators did, by person, thing and time; as CSV with --csv',
    usage: usage.log,
    run: (args) => withRooms(({ operator }) => runLog(operator.actions, args)),
  },
  plans: {
    summary: 'AutoEnergy plans: shows them, or replaces them from a file',
    usage: usage.plans,
    run: (args) => withRooms((rooms) => runPlans(rooms, args)),
  },
  prices: {
    summary: 'Prices that follow wholesale: replay, follow, end',
    usage: usage.prices,
    run: (args) => withRooms((rooms) => runFollowed(rooms, args)),
  },
  providers: {
    summary: 'Providers with health, price and fill rate; exit code 1 when nobody can sell',
    usage: usage.providers,
    run: (args) => withRooms((rooms) => runProviders(rooms, args)),
  },
  reconcile: {
    summary: 'Compares what the chain holds for us with what we owe; exit code 1 when it is short',
    usage: usage.reconcile,
    run: (args) => withRooms(({ deposits }) => runReconcile(deposits, args)),
  },
  recover: {
    summary: 'After a restore: books what the chain has and the books lack; attach, confirm',
    usage: usage.recover,
    run: (args) =>
      args[0] === 'confirm'
        ? withSigner((signer) => runConfirm({ ...signer, folder: signerFolder(args) }, args))
        : withRooms(({ deposits, operator }) => runRecover({ deposits, operator }, args)),
  },
  referral: {
    summary: 'The commission for clients through whom others signed up: shows and sets it',
    usage: usage.referral,
    run: (args) => withRooms((rooms) => runReferral(rooms, args)),
  },
  report: {
    summary: 'Profit and loss by day, product, client or provider; months, close MONTH',
    usage: usage.report,
    run: (args) => withRooms((rooms, { clock }) => runReport(rooms, args, clock)),
  },
  rescan: {
    summary: 'Reads blocks again from a height: rescan --from 1234',
    usage: usage.rescan,
    run: (args) => withRooms(({ chain }) => runRescan(chain, readLine(args))),
  },
  schedule: {
    summary: 'Prices by the hour: shows, previews and sets them',
    usage: usage.schedule,
    run: (args) => withRooms((rooms) => runSchedule(rooms, args)),
  },
  secrets: {
    summary: "Seals webhooks' secrets with the first key of SECRETS_KEY_FILE: secrets reseal",
    usage: usage.secrets,
    run: (args) =>
      args[0] === 'reseal'
        ? withRooms((rooms) => reseal(rooms, isJson(args)), secretsKeysOf)
        : Promise.resolve(notUnderstood('secrets')),
  },
  signer: {
    summary: "On the signer's machine: whom it believes, outflows without a row, signing on again",
    usage: usage.signer,
    run: (args) =>
      isOfSignerFiles(args)
        ? runSignerFiles(args)
        : withSigner((signer) => runSigning(signer, args)),
  },
  sql: {
    summary: 'Runs one statement that only reads: sql "select …"',
    usage: usage.sql,
    run: (args) => withRooms((_rooms, { db }) => runSql(db, args)),
  },
  stakes: {
    summary: 'Own stakes, their cost, what unlocks when; freeze, unfreeze, withdraw, vote, claim',
    usage: usage.stakes,
    run: (args) => withRooms((rooms, { clock }) => runStakes({ ...rooms, clock }, args)),
  },
  statements: {
    summary: 'What marketplaces say they charged, against the books: list, show, run, decide',
    usage: usage.statements,
    run: (args) => withRooms((rooms, { clock }) => runStatements(rooms, args, clock)),
  },
  status: {
    summary: 'The first page of the console; exit code 1 when something needs a look',
    usage: usage.status,
    run: (args) =>
      withRooms(async ({ audit, chain, operator, pricing, providers }, { clock }) => {
        await Promise.all([pricing.refresh(), chain.lag.look(), providers.readLoop.runOnce()])
        return runStatus({ audit, operator, clock }, args)
      }),
  },
  switches: {
    summary: 'Kill switches: shows them, turns one on or off',
    usage: usage.switches,
    run: (args) => withRooms(({ operator }) => runSwitches(operator, args)),
  },
  undecided: {
    summary: 'Deliveries that only a person can settle: list, effect of a decision, decide',
    usage: usage.undecided,
    run: (args) => withRooms((rooms) => runUndecided(rooms, args)),
  },
}

export const commands = findingSandbox(understood(all, operatorNamed))

/** A long audit says after so many rows how far it is. */
const PROGRESS_ROWS = 100_000

async function runAudit(audit: Rooms['audit'], json: boolean): Promise<number> {
  let at = ''
  let rows = 0
  const finding = await audit.run((invariant, read) => {
    if (invariant !== at) [at, rows] = [invariant, 0]
    rows += read
    if (rows >= PROGRESS_ROWS && rows % PROGRESS_ROWS < read) console.error(`${at}: ${rows} rows`)
  })
  if (json) console.log(JSON.stringify(finding ?? { invariant: null }))
  else if (!finding) console.log('The books add up: every invariant holds.')
  else {
    console.log(`${finding.invariant} is broken: ${finding.promise}. Selling was stopped.`)
    for (const row of finding.rows) console.log(`  ${JSON.stringify(row)}`)
  }
  return finding ? EXIT.refused : EXIT.done
}

function secretsKeysOf({ SECRETS_KEY_FILE, DATA_DIR }: Settings) {
  return readSecretsKeys(SECRETS_KEY_FILE, DATA_DIR, systemRandom)
}

async function reseal({ webhooks }: Rooms, json: boolean): Promise<number> {
  const count = await webhooks.reseal()
  const text = `${count} webhooks sealed again: every secret is under the first key of the file.`
  console.log(json ? JSON.stringify({ resealed: count }) : text)
  return EXIT.done
}

async function runRescan(chain: Rooms['chain'], line: Line): Promise<number> {
  const from = Number(line.option('from'))
  if (!Number.isSafeInteger(from) || from < 1) {
    throw new Unclear('Say from which height: npx ergon rescan --from 1234')
  }
  const at = await chain.progress()
  if (!at || from > at.number) {
    console.error(`Block ${from} has not been read yet; the newest is ${at?.number ?? 'none'}.`)
    return EXIT.refused
  }
  const count = await chain.rescan(from)
  line.say({ blocks: count }, `${count} blocks read again.`)
  return EXIT.done
}

function patient() {
  return {
    environment: environment(),
    runtime: systemRuntime(),
    isRunning: isClaimed,
    portTrouble: (host: string, port: number, setting: string) =>
      assertPortFree(host, port, setting).then(
        () => undefined,
        (error: Error) => error.message,
      ),
    usdtContract: ({ USDT_CONTRACT, MODE }: Settings) =>
      USDT_CONTRACT || (MODE === 'sandbox' ? SANDBOX_USDT_CONTRACT : MAINNET_USDT),
    depositXpub: ({ DEPOSIT_XPUB, MODE }: Settings) =>
      DEPOSIT_XPUB || (MODE === 'sandbox' ? SANDBOX_DEPOSIT_XPUB : ''),
    pagesTrouble: troubleOfPages,
    disk: diskOf,
  }
}

function diskOf(folder: string) {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder)
    return { free: bavail * bsize, total: blocks * bsize }
  } catch {
    return undefined
  }
}

async function withOperators(
  { accounts, mail, operator: { actions } }: Rooms,
  { db, settings, args }: { db: Db; settings: Settings; args: string[] },
): Promise<number> {
  const log = createLog(settings.LOG_LEVEL)
  const runtime = systemRuntime()
  const webUrl = () => settings.WEB_URL || `http://127.0.0.1:${settings.PORT}`
  const sessions = createSessions({
    db,
    runtime,
    log,
    accounts,
    role: 'operator',
    webUrl,
    openPool: () =>
      openSchemaPool({
        urls: databaseUrls(settings),
        schema: 'better_auth',
        connections: 1,
        log,
        name: 'ergon-command',
      }),
  })
  try {
    const operators = createOperators(sessions, { random: runtime.random, db })
    const roles = createOperatorRoles({ db, clock: runtime.clock })
    const invitations = createInvitations({ db, runtime, mail, operators, webUrl })
    return await runOperators({ operators, roles, invitations, actions }, args)
  } finally {
    await sessions.close()
  }
}

/** `npx ergon operators code`: for users and scripts of a sandbox, without an authenticator app. */
async function showSandboxCode(args: string[]): Promise<number> {
  const [, email = SANDBOX_OPERATORS[0].email] = args.filter((arg) => !arg.startsWith('--'))
  const code = environment().MODE === 'production' ? undefined : await sandboxCode(email)
  if (code) console.log(isJson(args) ? JSON.stringify({ email, code }) : code)
  else console.error('Codes are shown for the two operators of a sandbox alone.')
  return code ? EXIT.done : EXIT.refused
}
