import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { createLog, sun, systemDoors } from '../../service/kernel/index.ts'
import { type House, openHouse } from '../../service/main/house.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/main/sandboxNetwork.ts'

export type BenchAccount = { id: string; key: string }
export type HouseReady = { url: string; accounts: BenchAccount[] }

const BALANCE = sun(1_000_000_000_000_000n)
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
const ready: HouseReady = { url: house.url, accounts: await seed(house, Number(accounts)) }
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

/** Accounts through identity's door, money through the ledger's. */
async function seed({ rooms, db }: House, count: number): Promise<BenchAccount[]> {
  const made: BenchAccount[] = []
  for (let n = 1; n <= count; n++) {
    const { account, apiKey } = await rooms.accounts.create(`bench ${n}`)
    made.push({ id: account, key: apiKey })
  }
  await db.transaction((tx) =>
    rooms.ledger.post(
      tx,
      made.map(({ id }) => ({
        client: id,
        kind: 'adjustment',
        reference: `bench ${id}`,
        amount: BALANCE,
        counter: 'equity:operator',
        description: 'Money to measure with',
        trace: 'bench',
      })),
    ),
  )
  return made
}
