import { Verbatim } from '@ergon/contract'
import { toBase58 } from '@ergon/tron'
import { allStatements, type Db } from '../../service/db/index.ts'
import {
  type Doors,
  type Loop,
  readSettings,
  silentLog,
  sun,
  uuidsV7,
} from '../../service/kernel/index.ts'
import { createRooms, type Rooms } from '../../service/main/rooms.ts'
import { SANDBOX_DEPOSIT_XPUB, SANDBOX_MNEMONIC_FILE } from '../../service/main/sandboxNetwork.ts'
import { openKeyRing } from '../../service/signer/keyRing.ts'
import { openSigner } from '../../service/signer.ts'
import type { Life } from './scheduler.ts'
import type { Account, Simulation } from './simulation.ts'

/** A program that a crash ends and that is then started again from nothing. */
export type Actor = { name: string; run(sim: Simulation, life: Life): Promise<void> }

const settings = readSettings({
  SIGNER_MNEMONIC_FILE: SANDBOX_MNEMONIC_FILE,
  SIGNER_HOURLY_TRX_MAX: '999999999',
})
const ring = openKeyRing(settings)
/** In a transaction the service also asks outside of it, so a process needs more than one. */
const CONNECTIONS = 3
const SWEEP_MIN = sun(12_000_000n)

export function doorsOf(
  sim: Simulation,
  life: Life,
): Doors & { clock: ReturnType<typeof clockOf> } {
  const clock = clockOf(sim, life)
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => life.random.below(256))
  const random = { bytes, fraction: life.random.fraction }
  return { clock, random, ids: uuidsV7(clock, random), step: (label) => stepOf(life, label) }
}

/** After a plain read nothing has changed: a crash there is a crash before the next statement. */
function stepOf(life: Life, label: string): Promise<void> {
  reads ??= new Set(
    allStatements()
      .filter(isRead)
      .map(({ name }) => `committed after ${name}`),
  )
  return reads.has(label) ? Promise.resolve() : life.step(label)
}

let reads: Set<string> | undefined

function isRead({ text }: { text: string }): boolean {
  return /^\s*select\b/.test(text) && !/for update|\b[a-z]+\.\w+\(/.test(text)
}

function clockOf(sim: Simulation, life: Life) {
  const { skewMs } = sim.world.rates
  return sim.world.clockOf(Math.round((life.random.fraction() * 2 - 1) * skewMs))
}

type House = { db: Db; doors: ReturnType<typeof doorsOf>; rooms: Rooms }

async function openRooms(sim: Simulation, life: Life): Promise<House> {
  const doors = doorsOf(sim, life)
  const db = await sim.openDb(life, doors, 'ergon_app', CONNECTIONS)
  const rooms = createRooms({
    db,
    doors,
    log: silentLog,
    nodeUrls: [],
    nodeApiKey: '',
    node: sim.world.nodeFor(life, doors.clock),
    scanMs: 0,
    depositXpub: SANDBOX_DEPOSIT_XPUB,
    sweepMin: SWEEP_MIN,
    webhooks: { secretsKey: new Uint8Array(32) },
    wakeSigner() {},
  })
  return { db, doors, rooms }
}

/** Rounds of work, one after the other, as the timers of a process would start them. */
function looping(name: string, pick: (rooms: Rooms) => Loop[]): Actor {
  return {
    name,
    async run(sim, life) {
      const { rooms } = await openRooms(sim, life)
      const loops = pick(rooms)
      // Rests only after a whole round of its loops found nothing to do.
      for (let quiet = 0; ; ) {
        const loop = life.random.pick(loops)
        await (quiet < loops.length ? life.step(`round ${loop.name}`) : sim.rest(life))
        const done = await sim.attempt(life, () => loop.runOnce())
        quiet = done === 0 ? quiet + 1 : 0
      }
    },
  }
}

const worker = (name: string) =>
  looping(name, ({ delivery, orders, providers }) => [
    ...delivery.loops.filter((loop) => loop.name !== 'delivery.forget'),
    orders.loops[0]!,
    providers.readLoop,
  ])

/** Makes deposits final and sweeps them; asks the providers what they have. */
const treasurer = (name: string) =>
  looping(name, ({ deposits, providers }) => [
    ...deposits.loops.filter((loop) => loop.name !== 'deposits.reconcile'),
    providers.pollLoop,
  ])

const signer: Actor = {
  name: 'signer',
  async run(sim, life) {
    const doors = doorsOf(sim, life)
    const db = await sim.openDb(life, doors, 'ergon_signer', 1)
    const parts = { db, doors, log: silentLog, ring, settings }
    let opened: Awaited<ReturnType<typeof openSigner>> | undefined
    for (let idle = false; ; ) {
      await (idle ? sim.rest(life) : life.step('round signer'))
      const done = await sim.attempt(life, async () => {
        opened ??= await openSigner(parts)
        return opened.answerRequests()
      })
      idle = done === 0
    }
  },
}

/** Takes purchases; answers come back to clients through `sim.call`. */
const api = (name: string): Actor => ({
  name,
  async run(sim, life) {
    const { rooms } = await openRooms(sim, life)
    for (let isReady = false; ; ) {
      await sim.attempt(life, async () => {
        if (!isReady) await rooms.pricing.refresh()
        isReady = true
        return rooms.providers.readLoop.runOnce()
      })
      if (isReady) sim.serve(life, rooms)
      await sim.rest(life)
    }
  },
})

export const actors: readonly Actor[] = [
  api('api-1'),
  api('api-2'),
  worker('worker-1'),
  worker('worker-2'),
  looping('scanner-1', ({ chain }) => [chain.scanLoop]),
  looping('scanner-2', ({ chain }) => [chain.scanLoop]),
  looping('broadcaster', ({ chain }) => [chain.broadcasts.loop]),
  treasurer('treasurer-1'),
  treasurer('treasurer-2'),
  signer,
]

/** Each process once, for the runs that look at every single crash. */
export const singleActors = actors.filter(({ name }) => !name.endsWith('-2'))

type Wish = Parameters<Rooms['orders']['buy']>[1]

const AMOUNTS = [65_000n, 65_000n, 130_000n]
const KEYS = 5
const TRIES_MAX = 4

type Rng = Life['random']

/** Deposits, buys with keys it has used before, and comes back when it was refused. */
export async function runClient(sim: Simulation, life: Life, acts: number): Promise<void> {
  const { random } = life
  let done = 0
  for (let visits = 0; done < acts && visits < acts * 4 && !sim.isCalm; visits++) {
    await (random.once(2) ? sim.rest(life) : life.step('acts at once'))
    const account = random.pick(sim.accounts)
    if (done < 2 || random.once(5)) {
      deposit(sim, account, random)
      done += 1
    } else if (await shop(sim, life, account)) done += 1
    else await sim.rest(life)
  }
}

async function shop(sim: Simulation, life: Life, account: Account): Promise<boolean> {
  const { random } = life
  const key = random.once(4) ? undefined : `key-${random.below(KEYS)}`
  const wish = wishOf(sim, random)
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const answer = await buy(sim, life, { account: account.id, key, wish })
    if (answer !== 'unknown') return answer === 'bought'
    // Without a key nobody can tell whether it was bought.
    if (key === undefined) return true
  }
  return false
}

/** One deposit and one purchase, asked for until it is made. */
export async function runCarefulClient(sim: Simulation, life: Life): Promise<void> {
  const [account] = sim.accounts
  await life.step('deposits')
  deposit(sim, account!, life.random)
  const wish = wishOf(sim, life.random)
  for (;;) {
    await sim.rest(life)
    if ((await buy(sim, life, { account: account!.id, key: 'once', wish })) === 'bought') return
  }
}

function deposit(sim: Simulation, account: Account, random: Rng): void {
  const amount = BigInt(5_000_000 + random.below(9_000_000))
  sim.world.transfer(account.depositAddress, amount, payersOf(sim)[random.below(3)]!)
}

function wishOf(sim: Simulation, random: Rng): Wish {
  const receiver = toBase58(payersOf(sim)[5 + random.below(2)]!.address)
  const amount = random.pick(AMOUNTS)
  return { receiver, amount, resourceType: 'ENERGY', duration: '1h', maxPrice: undefined }
}

const payersOf = (sim: Simulation) => sim.world.chain.network.funded

async function buy(
  sim: Simulation,
  life: Life,
  want: { account: string; key: string | undefined; wish: Wish },
): Promise<'bought' | 'refused' | 'unknown'> {
  const { account, key, wish } = want
  const buyer = { account, trace: 'sim', source: 'api' as const, key }
  const answer = await sim.call(life, (rooms) => rooms.orders.buy(buyer, wish))
  if (answer instanceof Verbatim) {
    sim.acknowledge({ account, key, body: answer.body })
    return 'bought'
  }
  if (answer === undefined || answer.refused === 'internal_error') return 'unknown'
  sim.trace(`${life.name} is refused: ${answer.refused}`)
  return 'refused'
}
