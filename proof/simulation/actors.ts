import { createRooms, type Rooms } from '../../service/app/rooms.ts'
import { SANDBOX_DEPOSIT_XPUB, SANDBOX_MNEMONIC_FILE } from '../../service/app/sandboxNetwork.ts'
import { allStatements, type Db } from '../../service/db/index.ts'
import { type Loop, type Runtime, readSettings, sun, uuidsV7 } from '../../service/kernel/index.ts'
import { openKeyRing } from '../../service/signer/keyRing.ts'
import { openSigner } from '../../service/signer.ts'
import { decideMissing, floatSignerFiles } from './floats.ts'
import type { Life } from './scheduler.ts'
import type { Actor, Simulation } from './simulation.ts'
import { stakeSignerFiles } from './stakers.ts'

const settings = readSettings({
  SIGNER_MNEMONIC_FILE: SANDBOX_MNEMONIC_FILE,
  SIGNER_HOURLY_TRX_MAX: '999999999',
})
const ring = openKeyRing(settings)
/**
 * Connections of a process. More than one: while a transaction is open the service also runs
 * statements outside of it.
 */
const CONNECTIONS = 6
/**
 * Block interval given to the service. Time passes at every statement here, so a scanner that keeps
 * up may be a minute behind; the lag limit is five of these.
 */
const PACE_MS = 12_000
const SWEEP_MIN = sun(12_000_000n)

export function runtimeOf(
  sim: Simulation,
  life: Life,
): Runtime & { clock: ReturnType<typeof clockOf> } {
  const clock = clockOf(sim, life)
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => life.random.below(256))
  const random = { bytes, fraction: life.random.fraction }
  return { clock, random, ids: uuidsV7(clock, random), step: (label) => stepOf(life, label) }
}

/**
 * Skips the crash point after a plain read: nothing has changed, so it equals a crash before the
 * next statement.
 */
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

type App = { db: Db; runtime: ReturnType<typeof runtimeOf>; rooms: Rooms }

async function openRooms(sim: Simulation, life: Life): Promise<App> {
  const runtime = runtimeOf(sim, life)
  const db = await sim.openDb(life, runtime, 'ergon_app', CONNECTIONS)
  const rooms = createRooms({
    db,
    runtime,
    log: sim.logOf(life),
    nodeUrls: [],
    nodeApiKey: '',
    node: sim.world.nodeFor(life, runtime.clock),
    scanMs: 0,
    blockMs: PACE_MS,
    depositXpub: SANDBOX_DEPOSIT_XPUB,
    sweepMin: SWEEP_MIN,
    creditLimits: sim.limits,
    marketplaces: sim.marketplacesFor(life, runtime.clock),
    webhooks: { secretsKey: new Uint8Array(32) },
    wakeSigner() {},
    unproven: () => undefined,
  })
  return { db, runtime, rooms }
}

/** A process that runs its loops one after the other, as timers would start them. */
function looping(
  name: string,
  pick: (rooms: Rooms) => Loop[],
  begin?: (rooms: Rooms) => Promise<unknown>,
): Actor {
  return {
    name,
    async run(sim, life) {
      const { rooms } = await openRooms(sim, life)
      const loops = pick(rooms)
      let begun = begin === undefined
      while (!begun) {
        await life.step('begins')
        await sim.attempt(life, async () => {
          await begin?.(rooms)
          begun = true
        })
      }
      const inTurn = fairly(life, loops)
      // Idle only after a whole round in which no loop found work.
      for (let quiet = 0; ; ) {
        const loop = sim.isCalm ? inTurn() : life.random.pick(loops)
        await (quiet < loops.length ? life.step(`round ${loop.name}`) : sim.rest(life))
        const done = await sim.attempt(life, () => loop.runOnce())
        quiet = done === 0 ? quiet + 1 : 0
      }
    },
  }
}

/**
 * The order of the loops without faults: none runs twice before all have run once. With faults any
 * order may occur, so it is drawn.
 */
function fairly(life: Life, loops: readonly Loop[]): () => Loop {
  let left: Loop[] = []
  return () => {
    if (left.length === 0) left = [...loops]
    return left.splice(life.random.below(left.length), 1)[0]!
  }
}

/**
 * Loops that sell refuse when the scanner lags. Measure the lag before each: a real process does so
 * twice a second.
 */
const SELLING = ['delivery.standing', 'agent.decide']

function looking({ lag }: Rooms['chain'], loop: Loop): Loop {
  if (!SELLING.includes(loop.name)) return loop
  return { ...loop, runOnce: () => lag.look().then(loop.runOnce) }
}

/** Not in a worker: a scene that needs one has a process for it, so that the others stay as they are. */
const LEFT_OUT = ['delivery.forget', 'delivery.takenBack']

const worker = (name: string) =>
  looping(name, ({ chain, delivery, orders, providers }) => [
    ...delivery.loops
      .filter((loop) => !LEFT_OUT.includes(loop.name) && !isForMarkets(loop))
      .map((loop) => looking(chain, loop)),
    ...orders.loops.filter(({ name }) => name === 'orders.start'),
    providers.readLoop,
  ])

const isForMarkets = ({ name }: Loop) => /^delivery\.(order|resolve)\./.test(name)

/**
 * Places orders at marketplaces and polls their state; in a worker these loops run concurrently.
 */
const purchaser = (name: string) =>
  looping(name, ({ delivery, providers }) => [
    ...delivery.loops.filter(isForMarkets),
    providers.readLoop,
  ])

/** Polls the offers of marketplaces, which takes longer than reading our own stake. */
const pricer = (name: string) => looping(name, ({ providers }) => [providers.pollLoop])

/** Makes deposits final and sweeps them; polls the offers of providers. */
const treasurer = (name: string) =>
  looping(name, ({ deposits, providers }) => [
    ...deposits.loops.filter(({ name }) => !['deposits.reconcile', 'deposits.look'].includes(name)),
    providers.pollLoop,
  ])

const signerWith = (filesOf: (sim: Simulation) => string): Actor => ({
  name: 'signer',
  async run(sim, life) {
    const runtime = runtimeOf(sim, life)
    const db = await sim.openDb(life, runtime, 'ergon_signer', 1)
    const own = { ...settings, SIGNER_DIR: filesOf(sim) }
    const parts = { db, runtime, log: sim.logOf(life), ring, settings: own, lease: undefined }
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
})
const signer = signerWith(() => '')

/** Says what became of top-ups. */
const person: Actor = {
  name: 'person',
  async run(sim, life) {
    const { rooms } = await openRooms(sim, life)
    for (;;) {
      await sim.rest(life)
      await sim.attempt(life, () => decideMissing(sim, rooms))
    }
  },
}

/** Sends surplus and top-ups. */
const keeper = (name: string) => looping(name, ({ treasury }) => treasury.loops)

/** Accepts purchases; answers return to clients through `sim.call`. */
const api = (name: string): Actor => ({
  name,
  async run(sim, life) {
    const { rooms } = await openRooms(sim, life)
    for (let isReady = false; ; ) {
      await sim.attempt(life, async () => {
        if (!isReady) await rooms.pricing.refresh()
        isReady = true
        await rooms.chain.lag.loop.runOnce()
        return rooms.providers.readLoop.runOnce()
      })
      if (isReady) sim.serve(life, rooms)
      await sim.rest(life)
    }
  },
})

/** Bills covered calls, days and closed subscriptions. */
const steward = (name: string) => looping(name, ({ autoenergy }) => autoenergy.loops)

/**
 * Turns payments to configurations into sales or skips them, with the prices and offers of an API
 * node.
 */
const clerk = (name: string) =>
  looping(
    name,
    ({ agent, chain, providers }) => [
      ...agent.loops
        .filter((loop) => loop.name !== 'agent.watchPrices')
        .map((loop) => looking(chain, loop)),
      providers.readLoop,
    ],
    ({ pricing }) => pricing.refresh(),
  )

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

/**
 * Left out of scenes that are not about deposits, so that each remaining process gets more steps.
 */
const FEWER = ['api-2', 'scanner-2', 'treasurer-2']
export const fewerActors = actors.filter(({ name }) => !FEWER.includes(name))
export const coveringActors = [...fewerActors, steward('steward-1'), steward('steward-2')]
export const marketActors = [
  ...fewerActors,
  purchaser('purchaser-1'),
  purchaser('purchaser-2'),
  pricer('pricer'),
]
/** Sends what is done with stakes, and proposes what is due. */
const staker = (name: string) => looping(name, ({ staking }) => staking.loops)

export const stakingActors: readonly Actor[] = [
  ...actors.filter(({ name }) => /^(api|scanner|broadcaster)/.test(name)),
  staker('staker-1'),
  staker('staker-2'),
  signerWith(stakeSignerFiles),
]
export const resaleActors = [...fewerActors, clerk('clerk-1'), clerk('clerk-2')]

/** Delivers from our own stake and nothing else: more of the steps are those of the clients. */
const deliverer = looping('deliverer', ({ delivery, orders, providers }) => [
  ...delivery.loops.filter(({ name }) => /^delivery\.(place|conclude|reclaim)$/.test(name)),
  ...orders.loops.filter(({ name }) => name === 'orders.start'),
  providers.readLoop,
])
/** Pays commissions. */
const payer = (name: string) =>
  looping(name, ({ orders }) => orders.loops.filter(({ name }) => name === 'orders.payCommissions'))
/** Reads blocks and decides what sellers took back, which it may only while no newer block is there. */
const decider = (name: string) =>
  looping(name, ({ chain, delivery }) => [
    chain.scanLoop,
    ...delivery.loops.filter(({ name }) => name === 'delivery.takenBack'),
  ])
/** Keeps Energy on covered addresses and does nothing else. */
const coverer = looping('coverer', ({ chain, delivery, providers }) => [
  ...delivery.loops
    .filter(({ name }) => name === 'delivery.standing')
    .map((loop) => looking(chain, loop)),
  providers.readLoop,
])
const singles = actors.filter(({ name }) =>
  /^(api-1|scanner|broadcaster|treasurer-1|signer)/.test(name),
)
/** Two nodes that clients ask, and one of each other process. */
const slimActors = [...singles, api('api-2'), deliverer]
export const budgetActors = [...singles, coverer, steward('steward-1'), steward('steward-2')]
export const redeliveryActors = [...slimActors, clerk('clerk-1')]
export const takingActors = [
  ...singles.filter(({ name }) => /^(api|treasurer)/.test(name)),
  deliverer,
  purchaser('purchaser-1'),
  pricer('pricer'),
  decider('decider-1'),
  decider('decider-2'),
]
export const wholesaleActors = [...slimActors, payer('payer-1'), payer('payer-2')]

export const treasuryActors = [
  ...fewerActors.filter(({ name }) => !['signer', 'worker-1', 'worker-2'].includes(name)),
  signerWith(floatSignerFiles),
  keeper('keeper-1'),
  keeper('keeper-2'),
  person,
]

/** One of each process, for the runs that try every single crash. */
export const singleActors = actors.filter(({ name }) => !name.endsWith('-2'))
