import { createLog, environment, systemDoors } from '../../../service/kernel/index.ts'
import { openHouse } from '../../../service/main/house.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../../service/main/sandboxNetwork.ts'
import { sinkUrlOf } from '../../../service/sandbox-api/index.ts'
import { SOLID_LAG } from '../../testing/solidLag.ts'

// One role of the service as a process of its own, wired as `npm start` wires it. Only the devnet is
// shared, and the clients' limit of requests is lifted: this is not what is looked at here.

const { VIOLENT_ROLE, VIOLENT_DATABASES, VIOLENT_NODE, VIOLENT_PORT = '0' } = environment()
const node = VIOLENT_NODE!

const house = await openHouse({
  databaseUrls: VIOLENT_DATABASES!.split(','),
  host: '127.0.0.1',
  port: Number(VIOLENT_PORT),
  metricsAt: null,
  trustedProxies: [],
  role: VIOLENT_ROLE as 'api' | 'worker' | 'scanner',
  nodeUrls: [node],
  nodeApiKey: '',
  scanMs: 100,
  depositXpub: SANDBOX_DEPOSIT_XPUB,
  webhooks: { secretsKey: new Uint8Array(32), sinkUrl: sinkUrlOf(node) },
  wakeSigner() {},
  doors: systemDoors(),
  log: createLog('warn'),
  sandbox: { devnetUrl: node, solidLag: SOLID_LAG },
  requestsPerMinute: 10_000_000,
})
process.on('disconnect', () => process.exit(0))
process.send?.({ url: house.url })
