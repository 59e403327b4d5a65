import { openApp } from '../../../service/app/app.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../../service/app/sandboxNetwork.ts'
import { createLog, environment, systemRuntime } from '../../../service/kernel/index.ts'
import { sinkUrlOf } from '../../../service/sandbox-api/index.ts'
import { SOLID_LAG } from '../../testing/solidLag.ts'

// One role of the service as a process, wired as `npm start` wires it, with a shared devnet and
// without the clients' rate limit.

const { CHAOS_ROLE, CHAOS_DATABASES, CHAOS_NODE, CHAOS_PORT = '0' } = environment()
const node = CHAOS_NODE!

const app = await openApp({
  databaseUrls: CHAOS_DATABASES!.split(','),
  host: '127.0.0.1',
  port: Number(CHAOS_PORT),
  metricsAt: null,
  trustedProxies: [],
  role: CHAOS_ROLE as 'api' | 'worker' | 'scanner',
  nodeUrls: [node],
  nodeApiKey: '',
  scanMs: 100,
  lookMs: 250,
  depositXpub: SANDBOX_DEPOSIT_XPUB,
  webhooks: { secretsKey: new Uint8Array(32), sinkUrl: sinkUrlOf(node) },
  wakeSigner() {},
  runtime: systemRuntime(),
  log: createLog('warn'),
  sandbox: { devnetUrl: node, solidLag: SOLID_LAG },
  requestsPerMinute: 10_000_000,
})
// As `npm start` does: requests under way are answered first.
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))
process.on('disconnect', () => process.exit(0))
process.send?.({ url: app.url })
