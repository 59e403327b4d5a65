import { openApp } from '../../service/app/app.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/app/sandboxNetwork.ts'
import { createLog, systemRuntime } from '../../service/kernel/index.ts'
import { openSignerProgram } from '../testing/world.ts'

// The whole service as it runs in production on one machine, with every loop: the work after a
// block, mainly deliveries, competes with what is measured.
const [appUrl, signerUrl, nodeUrl] = process.argv.slice(2) as [string, string, string]
const signer = await openSignerProgram(signerUrl)
const app = await openApp({
  databaseUrls: [appUrl],
  host: '127.0.0.1',
  port: 0,
  metricsAt: null,
  trustedProxies: [],
  role: 'all',
  nodeUrls: [nodeUrl],
  nodeApiKey: '',
  scanMs: 100,
  blockMs: 0,
  depositXpub: SANDBOX_DEPOSIT_XPUB,
  webhooks: { secretsKey: new Uint8Array(32) },
  wakeSigner: signer.wake,
  runtime: systemRuntime(),
  log: createLog('warn'),
  sandbox: undefined,
})
process.once('disconnect', async () => {
  await app.close()
  await signer.stop()
  process.exit(0)
})
process.send!('ready')
