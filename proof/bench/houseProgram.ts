import { createLog, systemDoors } from '../../service/kernel/index.ts'
import { openHouse } from '../../service/main/house.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/main/sandboxNetwork.ts'
import { profileWhenAsked } from './profile.ts'
import { type BenchAccount, seedAccounts } from './seed.ts'

export type HouseReady = { url: string; accounts: BenchAccount[] }

const UNLIMITED = 1_000_000_000

// The service as it runs in production, role api: what is measured has no devnet, signer or loops of
// delivery beside it in its process.
const [databaseUrl, devnetUrl, accounts] = process.argv.slice(2) as [string, string, string]
const house = await openHouse({
  databaseUrls: [databaseUrl],
  host: '127.0.0.1',
  port: 0,
  metricsAt: null,
  trustedProxies: [],
  role: 'api',
  nodeUrls: [devnetUrl],
  nodeApiKey: '',
  scanMs: 1_000,
  depositXpub: SANDBOX_DEPOSIT_XPUB,
  webhooks: { secretsKey: new Uint8Array(32) },
  wakeSigner() {},
  doors: systemDoors(),
  log: createLog('warn'),
  sandbox: undefined,
  requestsPerMinute: UNLIMITED,
})
const writeProfile = profileWhenAsked()
process.once('disconnect', async () => {
  await writeProfile()
  await house.close()
  process.exit(0)
})
const ready: HouseReady = { url: house.url, accounts: await seedAccounts(house, Number(accounts)) }
process.send!(ready)
