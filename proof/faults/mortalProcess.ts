import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { environment, silentLog, sun, systemDoors } from '../../service/kernel/index.ts'
import { openHouse } from '../../service/main/house.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/main/sandboxNetwork.ts'
import { sinkUrlOf } from '../../service/sandbox-api/index.ts'
import { runSigner } from '../../service/signer.ts'
import { testNetwork } from '../testing/receiver.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'

/**
 * The service, or the signer, in a process of its own that dies by SIGKILL at a chosen step. Steps
 * count from the moment the parent arms it; every step reached is reported. With a file of deaths it
 * dies at each step that MORTAL_PATTERN describes, once: the file says where it has died before. A
 * share such as 1/3 takes a third of those steps, by their names.
 */
const { MORTAL_PROGRAM, MORTAL_STEP, MORTAL_DATABASE, MORTAL_NODE } = environment()
const { MORTAL_DEATHS = '', MORTAL_PATTERN = '', MORTAL_SHARE = '0/1' } = environment()
// Told, not imported: the devnet's package holds the published mnemonic, which the service must not.
const { MORTAL_SWEEP_MIN, MORTAL_TELEGRAM, MORTAL_TELEGRAM_TOKEN = '' } = environment()
const pattern = MORTAL_DEATHS === '' ? undefined : new RegExp(MORTAL_PATTERN)
const deaths = new Set(
  existsSync(MORTAL_DEATHS) ? readFileSync(MORTAL_DEATHS, 'utf8').split('\n') : [],
)

const [turn, parts] = MORTAL_SHARE.split('/').map(Number) as [number, number]
/** Any even spread over the names will do, as long as it is the same in every life. */
const partOf = (label: string) => createHash('sha256').update(label).digest()[0]! % parts
const isDeadly = (label: string) =>
  pattern?.test(label) === true && partOf(label) === turn && !deaths.has(label)

const seen = new Set<string>()
let armed = false

const doors = {
  ...systemDoors(),
  async step(label: string) {
    if (!armed) return
    if (label === MORTAL_STEP) process.kill(process.pid, 'SIGKILL')
    if (isDeadly(label)) {
      appendFileSync(MORTAL_DEATHS, `${label}\n`)
      process.kill(process.pid, 'SIGKILL')
    }
    if (seen.has(label)) return
    seen.add(label)
    process.send?.({ step: label })
  },
}

process.on('message', (message) => {
  if (message === 'arm') armed = true
})

if (MORTAL_PROGRAM === 'signer') {
  await runSigner(doors)
} else {
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
