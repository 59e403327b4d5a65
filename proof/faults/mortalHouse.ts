import { environment, silentLog, sun } from '../../service/kernel/index.ts'
import { openHouse } from '../../service/main/house.ts'
import type { HouseOptions } from '../../service/main/options.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/main/sandboxNetwork.ts'
import { sinkUrlOf } from '../../service/sandbox-api/index.ts'
import { testNetwork } from '../testing/receiver.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'

const { MORTAL_DATABASE, MORTAL_NODE } = environment()
// Told, not imported: the devnet's package holds the published mnemonic, which the service must not.
const { MORTAL_SWEEP_MIN, MORTAL_TELEGRAM, MORTAL_TELEGRAM_TOKEN = '' } = environment()

/** Apart from the process: a signer would load all of it for nothing, a hundred times. */
export async function runMortalHouse(doors: HouseOptions['doors']): Promise<void> {
  const house = await openHouse({
    databaseUrls: [MORTAL_DATABASE!],
    host: '127.0.0.1',
    port: 0,
    metricsAt: null,
    trustedProxies: [],
    role: 'all',
    nodeUrls: [MORTAL_NODE!],
    nodeApiKey: '',
    scanMs: 20,
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
    wakeSigner() {},
    doors,
    log: silentLog,
    sandbox: { devnetUrl: MORTAL_NODE!, solidLag: SOLID_LAG },
  })
  process.send?.({ url: house.url })
  process.on('disconnect', () => process.exit(0))
}
