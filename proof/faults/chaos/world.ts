import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Devnet } from '@ergon/devnet'
import { toBase58 } from '@ergon/tron'
import { SANDBOX_MNEMONIC_FILE, SANDBOX_STAKE } from '../../../service/app/sandboxNetwork.ts'
import { request } from '../../testing/app.ts'
import {
  createErgonServer,
  removeServers,
  type Server,
  serverOf,
  temporaryFolder,
} from '../../testing/cluster.ts'
import { addStandby } from '../../testing/standby.ts'
import { until } from '../../testing/until.ts'
import { openWire, type Wire } from '../../testing/wire.ts'
import { openDevnet } from '../../testing/world.ts'
import { Child, startWitness, type Witness } from './children.ts'

// Two API, two worker and two scanner processes and a signer; a primary database server and a
// synchronous standby. Half of the processes reach them over connections that can be broken.

const ENERGY = 32_000
const BLOCK_MS = 400
const SERVICE = join(import.meta.dirname, 'process.ts')
const SIGNER = join(import.meta.dirname, '../../../service/signer.ts')

/** The database servers, one of which is the primary. */
export type Databases = {
  /** The logs of the database servers. */
  logs(): string
  primary(): Server
  /** Kills the primary and promotes its standby. */
  promote(): Promise<void>
  /** Restarts the former primary as a synchronous standby. */
  rebuild(): Promise<void>
}
type Reachable = Databases & {
  /** The servers' socket files. */
  sockets: string[]
  /** A setting that names all servers. */
  direct(role: string): string
}
type OnClose = (stop: () => unknown) => void
export type OpenDatabases = (folder: string, onClose: OnClose) => Promise<Reachable>

export type World = Databases & {
  devnet: Devnet
  witness: Witness
  children: Child[]
  wires: Wire[]
  /** Resolve when the stopped processes continue. */
  sleeping: Promise<void>[]
  /** A transfer to the deposit address of a client, in SUN. */
  pay(account: number, amount: bigint): Promise<void>
  paid(): bigint
  call(path: string, body: unknown): Promise<{ status: number; text: string }>
  close(): Promise<void>
}

type Clients = {
  accounts: number
  trx: number
  report(line: string): void
  openDatabases?: OpenDatabases
}

/**
 * Opens everything; what was started is stopped in reverse order, also when a later start fails.
 */
export async function openChaosWorld(clients: Clients): Promise<World> {
  const started: (() => unknown)[] = []
  const close = async () => {
    for (const stop of started.reverse()) await stop()
  }
  try {
    return { ...(await build(clients, (stop) => void started.push(stop))), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function build(clients: Clients, onClose: OnClose): Promise<Omit<World, 'close'>> {
  const folder = temporaryFolder('chaos')
  const databases = await (clients.openDatabases ?? openPair)(folder, onClose)
  const { direct } = databases
  const devnet = await openDevnet({ blockMs: BLOCK_MS })
  onClose(devnet.close)
  const wires = await Promise.all(databases.sockets.map((socket) => openWire(socket)))
  for (const wire of wires) onClose(() => wire.close())
  const wired = (role: string) =>
    wires.map(({ port }) => `postgresql://${role}@127.0.0.1:${port}/ergon`).join(',')
  const children = (['api', 'worker', 'scanner'] as const).flatMap((role) => {
    const user = role === 'api' ? 'ergon_api' : 'ergon_app'
    return [direct(user), wired(user)].map((CHAOS_DATABASES, place) => {
      const env = { CHAOS_ROLE: role, CHAOS_DATABASES, CHAOS_NODE: devnet.url }
      return new Child(`${role} ${place + 1}`, SERVICE, env)
    })
  })
  const keys = {
    SIGNER_MNEMONIC_FILE: SANDBOX_MNEMONIC_FILE,
    SIGNER_STAKES: SANDBOX_STAKE,
    // The default limit is used up after 31,250 orders in an hour, which would stop selling.
    SIGNER_HOURLY_TRX_MAX: '999999999',
  }
  const DATABASE_SIGNER_URL = direct('ergon_signer')
  children.push(new Child('signer', SIGNER, { ...keys, DATABASE_SIGNER_URL }))
  onClose(() => Promise.all(children.map((child) => child.close())))
  await Promise.all(children.map((child) => child.start()))
  // A process that ended at its first start is restarted, and has its URL only then.
  await until('both api processes', () => children.slice(0, 2).every(({ url }) => url !== ''))
  for (const { name, deaths, complaints } of children) {
    if (deaths > 0) clients.report(`${name} ended at its start: ${complaints.slice(-1_000)}`)
  }

  const api = () => children[0]!.url
  const call = (path: string, body: unknown) => request(api(), 'POST', path, { body })
  const payers = devnet.chain.network.funded.map(({ address }) => toBase58(address))
  const addresses: string[] = []
  let paid = 0n
  const pay = async (account: number, amount: bigint) => {
    const from = payers[account % payers.length]
    const body = JSON.stringify({ from, to: addresses[account], amount_sun: `${amount}` })
    const answer = await fetch(`${devnet.url}/control/transfer`, { method: 'POST', body })
    if (answer.status !== 200) throw new Error(await answer.text())
    paid += amount
  }
  // A service that has just started may refuse for a moment.
  const create = () =>
    until('an account', async () => {
      const made = await request(api(), 'POST', '/sandbox/accounts', { body: {} })
      return made.status === 201 && made
    })
  const accounts = await Promise.all(Array.from({ length: clients.accounts }, create))
  for (const [place, { body }] of accounts.entries()) {
    addresses.push(body.deposit_address)
    await pay(place, BigInt(clients.trx) * 1_000_000n)
  }
  await until(
    'every account has its deposit',
    async () => {
      const sum = `select coalesce(sum(balance_sun), 0)::text as sum from ledger.account`
      return BigInt((await databases.primary().sql<{ sum: string }>(sum))[0]!.sum) === paid
    },
    60_000,
  )
  const key = accounts[0]!.body.api_key
  await until(
    'an offer',
    async () => {
      const answer = await request(api(), 'GET', `/v1/estimate?resource_amount=${ENERGY}`, { key })
      return answer.status === 200
    },
    60_000,
  )
  const witness = await startWitness({
    apis: children.slice(0, 2).map(({ url }) => url),
    keys: accounts.map(({ body }) => body.api_key),
    receivers: payers.slice(2, 8),
    file: join(folder, 'acknowledged'),
    energy: ENERGY,
  })
  onClose(() => witness.close())
  return {
    devnet,
    witness,
    children,
    wires,
    sleeping: [],
    ...databases,
    call,
    pay,
    paid: () => paid,
  }
}

/** Two servers of our own: a primary and a synchronous standby. */
const openPair: OpenDatabases = async (folder, onClose) => {
  const slots: Server[] = []
  onClose(() => removeServers(slots, folder))
  slots.push(await createErgonServer(join(folder, 'a')))
  // Nearly empty pages, so that files soon reach the size limit.
  for (const table of ['orders.purchase_order', 'ledger.movement'])
    await slots[0]!.sql(`alter table ${table} set (fillfactor = 10)`)
  slots.push(await addStandby(slots[0]!, join(folder, 'b'), 'follower'))
  let primary = 0
  return {
    sockets: slots.map(({ socket }) => join(socket, '.s.PGSQL.5432')),
    direct: (role) => slots.map((server) => server.url(role)).join(','),
    logs: () => slots.map((server) => server.log()).join(''),
    primary: () => slots[primary]!,
    async promote() {
      await slots[primary]!.kill()
      primary = 1 - primary
      await slots[primary]!.sql('select pg_promote()')
    },
    async rebuild() {
      const { folder: old } = slots[1 - primary]!
      rmSync(join(old, 'data'), { recursive: true, force: true })
      slots[1 - primary] = serverOf(old)
      slots[1 - primary] = await addStandby(slots[primary]!, old, 'follower')
    },
  }
}
