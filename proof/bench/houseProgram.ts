import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { createLog, systemDoors } from '../../service/kernel/index.ts'
import { openHouse } from '../../service/main/house.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/main/sandboxNetwork.ts'
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
  metricsPort: null,
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
const profiler = new Session()
process.once('disconnect', () => void end())
// Told when everything is seeded, so that a profile shows what is measured and nothing else.
process.once('message', (file: string) => void profileInto(file))
let profileFile: string | undefined
const ready: HouseReady = { url: house.url, accounts: await seedAccounts(house, Number(accounts)) }
process.send!(ready)

async function profileInto(file: string) {
  profileFile = file
  profiler.connect()
  await profiler.post('Profiler.enable')
  await profiler.post('Profiler.start')
}

async function end() {
  if (profileFile) {
    const { profile } = await profiler.post('Profiler.stop')
    writeFileSync(profileFile, JSON.stringify(profile))
  }
  await house.close()
  process.exit(0)
}
