import { openApp } from '../../service/app/app.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/app/sandboxNetwork.ts'
import { createLog, sun, systemRuntime } from '../../service/kernel/index.ts'

/** What it is asked to do once, and the answer: how long that took. */
export type Job =
  | { job: 'audit' | 'reconcile' | 'sweep' }
  | { job: 'orders' | 'accounts'; text: string }
  | { job: 'statement'; account: string; from: number; to: number }
  | { job: 'fund'; accounts: string[] }
export type JobDone = { ms: number } | { failed: string }
export type AgeReady = { ms: number }

const SWEEP_MIN = sun(10_000_000n)
const MONEY = sun(10_000_000_000n)
const LOOK_MS = 5
const FOUND_MAX = 50

// A process of the service beside the one that answers clients. With the role `all` it is ready when it has
// done what a start does: its server listens, its scanner is at the head, and it has proven every invariant.
const [databaseUrl, devnetUrl, role] = process.argv.slice(2) as [string, string, 'api' | 'all']
const startedAt = new Date()
const app = await openApp({
  databaseUrls: [databaseUrl],
  host: '127.0.0.1',
  port: 0,
  metricsAt: null,
  trustedProxies: [],
  role,
  nodeUrls: [devnetUrl],
  nodeApiKey: '',
  scanMs: 1_000,
  depositXpub: SANDBOX_DEPOSIT_XPUB,
  ...(role === 'api' && { sweepMin: SWEEP_MIN }),
  webhooks: { secretsKey: new Uint8Array(32) },
  wakeSigner() {},
  runtime: systemRuntime(),
  log: createLog('error'),
  sandbox: undefined,
})
const { rooms } = app

async function isStarted(): Promise<boolean> {
  const proofs = await rooms.audit.lastProofs()
  const isProven = proofs.every(({ provenAt }) => provenAt !== null && provenAt >= startedAt)
  return isProven && (await rooms.chain.progress()) !== undefined
}

async function work(asked: Job): Promise<void> {
  switch (asked.job) {
    case 'audit': {
      const found = await rooms.audit.check()
      if (found) throw new Error(`${found.invariant} is broken: ${JSON.stringify(found.rows[0])}`)
      return
    }
    case 'reconcile': {
      const { surplus } = await rooms.deposits.reconciling().reconcile()
      if (surplus < 0n) throw new Error(`${-surplus} SUN are missing`)
      return
    }
    case 'sweep':
      if ((await rooms.deposits.sweep()) === 0) throw new Error('nothing was swept')
      return
    case 'orders': {
      const none = { status: undefined, account: undefined, before: undefined }
      const found = await rooms.orders.search({ ...none, receiver: asked.text, limit: FOUND_MAX })
      if (found.length === 0) throw new Error('no order was found')
      return
    }
    case 'accounts': {
      const found = await rooms.accounts.search(asked.text, undefined, FOUND_MAX)
      if (found.length === 0) throw new Error('no account was found')
      return
    }
    case 'statement': {
      const period = { from: new Date(asked.from), to: new Date(asked.to) }
      await rooms.ledger.periods.sums(asked.account, period)
      const entries = await rooms.ledger.periods.entries(asked.account, period, 100_000n)
      if (!entries?.length) throw new Error('the statement is empty')
      return
    }
    case 'fund':
      await fund(asked.accounts)
  }
}

async function fund(accounts: string[]): Promise<void> {
  const postings = accounts.map((client) => ({
    client,
    kind: 'adjustment' as const,
    reference: `bench ${client}`,
    amount: MONEY,
    counter: 'equity:operator' as const,
    description: 'Money to measure with',
    trace: 'bench',
  }))
  await app.db.transaction((tx) => rooms.ledger.post(tx, postings))
}

process.on('message', async (asked: Job) => {
  const began = performance.now()
  const answer = await work(asked).then(
    (): JobDone => ({ ms: performance.now() - began }),
    (error: Error): JobDone => ({ failed: error.message }),
  )
  process.send!(answer)
})
process.once('disconnect', async () => {
  await app.close()
  process.exit(0)
})
if (role === 'all') {
  while (!(await isStarted())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
}
process.send!({ ms: performance.now() } satisfies AgeReady)
