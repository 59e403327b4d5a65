import { createRooms } from '../../service/app/rooms.ts'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/app/sandboxNetwork.ts'
import { openDb } from '../../service/db/index.ts'
import { silentLog, uuidsV7 } from '../../service/kernel/index.ts'
import { seeded } from '../testing/seeded.ts'
import { calm } from './rates.ts'
import { Life } from './scheduler.ts'
import type { Account, Simulation } from './simulation.ts'

const ACCOUNTS = 2

/** The state before the first step: clients with deposit addresses, partitions, a first block. */
export async function openAccounts(sim: Simulation, purse: bigint): Promise<Account[]> {
  const clock = sim.world.clockOf(0)
  const random = seeded(1)
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => random.below(256))
  const source = { bytes, fraction: random.fraction }
  const runtime = { clock, random: source, ids: uuidsV7(clock, source), step: async () => {} }
  const { world } = sim
  const { rates } = world
  world.rates = calm
  const db = await openDb({
    urls: [sim.database.url('ergon_app')],
    connections: 2,
    runtime,
    log: silentLog,
    name: 'setup',
  })
  const rooms = createRooms({
    db,
    runtime,
    log: silentLog,
    nodeUrls: [],
    nodeApiKey: '',
    node: world.nodeFor({ random, step: runtime.step }, clock),
    scanMs: 0,
    // Addresses are issued at once: no process here keeps looking at the scanner's lag.
    blockMs: 0,
    depositXpub: SANDBOX_DEPOSIT_XPUB,
    creditLimits: sim.limits,
    marketplaces: sim.marketplacesFor(new Life(sim.scheduler, 'setup', 1), clock),
    webhooks: { secretsKey: new Uint8Array(32) },
    wakeSigner() {},
  })
  await rooms.events.prepare()
  await rooms.providers.register()
  // Scan once before the first address is issued: the first scan decides where reading starts, and
  // a payment before it would never be seen.
  await rooms.chain.scanLoop.runOnce()
  const accounts: Account[] = []
  for (let n = 0; n < ACCOUNTS; n++) {
    const { account } = await rooms.accounts.create(`client ${n}`)
    accounts.push({ id: account, depositAddress: await rooms.addresses.depositAddressOf(account) })
  }
  if (purse > 0n) {
    const [payer] = world.chain.network.funded
    for (const { depositAddress } of accounts) world.transfer(depositAddress, purse, payer!)
    world.mine()
    await rooms.chain.scanLoop.runOnce()
  }
  await db.close()
  world.rates = rates
  return accounts
}
