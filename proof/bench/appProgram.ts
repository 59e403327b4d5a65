import { openApp } from '../../service/app/app.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/app/sandboxNetwork.ts'
import { createLog, systemRuntime } from '../../service/kernel/index.ts'
import { profileWhenAsked } from './profile.ts'
import { type BenchAccount, seedAccounts } from './seed.ts'

export type AppReady = { url: string; accounts: BenchAccount[] }

const UNLIMITED = 1_000_000_000

// The service in production mode with role api, so that no devnet, signer or delivery loop runs in
// the measured process.
const [databaseUrl, devnetUrl, accounts] = process.argv.slice(2) as [string, string, string]
const app = await openApp({
  databaseUrls: [databaseUrl],
  host: '127.0.0.1',
  port: 0,
  metricsAt: null,
  trustedProxies: [],
  role: 'api',
  nodeUrls: [devnetUrl],
  nodeApiKey: '',
  // Accounts are opened at once: nobody reads blocks here.
  blockMs: 0,
  scanMs: 1_000,
  depositXpub: SANDBOX_DEPOSIT_XPUB,
  webhooks: { secretsKey: new Uint8Array(32) },
  wakeSigner() {},
  runtime: systemRuntime(),
  log: createLog('warn'),
  sandbox: undefined,
  requestsPerMinute: UNLIMITED,
})
const writeProfile = profileWhenAsked()
process.once('disconnect', async () => {
  await writeProfile()
  await app.close()
  process.exit(0)
})
const ready: AppReady = { url: app.url, accounts: await seedAccounts(app, Number(accounts)) }
process.send!(ready)
