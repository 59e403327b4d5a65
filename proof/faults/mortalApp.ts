import { openApp } from '../../service/app/app.ts'
import type { AppOptions } from '../../service/app/options.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/app/sandboxNetwork.ts'
import { environment, silentLog, sun } from '../../service/kernel/index.ts'
import { createMarketplaces } from '../../service/providers/index.ts'
import { sinkUrlOf } from '../../service/sandbox-api/index.ts'
import { testNetwork } from '../testing/receiver.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'

const { MORTAL_DATABASE, MORTAL_NODE } = environment()
// Given as settings: the devnet's package holds the published mnemonic, so the service must not
// import it.
const { MORTAL_SWEEP_MIN, MORTAL_TELEGRAM, MORTAL_TELEGRAM_TOKEN = '' } = environment()

/** A stand-in of a marketplace, where there is one. */
const { MORTAL_CATFEE, MORTAL_CATFEE_KEY = '', MORTAL_CATFEE_SECRET = '' } = environment()

/** In a separate file, so that a signer does not load the service: it starts a hundred times. */
export async function runMortalApp(runtime: AppOptions['runtime']): Promise<void> {
  const app = await openApp({
    databaseUrls: [MORTAL_DATABASE!],
    host: '127.0.0.1',
    port: 0,
    metricsAt: null,
    trustedProxies: [],
    role: 'all',
    nodeUrls: [MORTAL_NODE!],
    nodeApiKey: '',
    scanMs: 20,
    lookMs: 250,
    connections: 8,
    blockMs: 0,
    depositXpub: SANDBOX_DEPOSIT_XPUB,
    webhooks: {
      secretsKey: new Uint8Array(32),
      sinkUrl: sinkUrlOf(MORTAL_NODE!),
      network: testNetwork(),
    },
    ...(MORTAL_TELEGRAM && {
      chat: { telegram: { url: MORTAL_TELEGRAM, token: MORTAL_TELEGRAM_TOKEN } },
    }),
    ...(MORTAL_SWEEP_MIN && { sweepMin: sun(BigInt(MORTAL_SWEEP_MIN)) }),
    ...(MORTAL_CATFEE && {
      marketplaces: createMarketplaces(
        [
          {
            name: 'catfee',
            url: MORTAL_CATFEE,
            key: MORTAL_CATFEE_KEY,
            secret: MORTAL_CATFEE_SECRET,
          },
        ],
        { clock: runtime.clock },
      ),
    }),
    wakeSigner() {},
    runtime,
    log: silentLog,
    sandbox: { devnetUrl: MORTAL_NODE!, solidLag: SOLID_LAG },
  })
  process.send?.({ url: app.url })
  process.on('disconnect', () => process.exit(0))
}
