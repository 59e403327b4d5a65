import { setTimeout as sleep } from 'node:timers/promises'
import { ACTIONS, type Action, RESTART } from './old/actions.ts'
import { ORDERS_A_ROUND, sizesOf } from './old/sizes.ts'
import { type Aged, openAged, type Side } from './old/world.ts'
import { readProcessorTime } from './processorTime.ts'
import { compare, type Figure, medians, samplesTable } from './report.ts'
import {
  measureRounds,
  type RoundsOptions,
  type Samples,
  stolenLine,
  type Variant,
} from './rounds.ts'
import type { Row, Suite } from './row.ts'

// npm run bench -- age [--scale 0.01]
// What clients and operators do, and what the service does by itself, at a service of some years and at a young one
// beside it. Both are generated; only their size differs. It takes more than an hour and 50 GB at its full size.

const ROUNDS = 5
const SECONDS = 2
const WITHIN = 1.5
const YOUNGER = 'the young service'
/** 1,000 accounts and the largest: as many as buy. */
const YOUNG = 0.004004
/** Processes that answer clients see within this time that blocks are read again. */
const SELLING_AGAIN_MS = 5_000
const GENERATED_SECONDS_MAX = 3_600
const DISK_MB_MAX = 50_000

export const measureAge: Suite = async ({
  rounds = ROUNDS,
  seconds = SECONDS,
  scale,
  only,
  tell,
}) => {
  const opened: Aged[] = []
  try {
    for (const [side, size] of [
      ['young', YOUNG],
      ['old', scale],
    ] as const) {
      opened.push(await openAged(side, sizesOf(size), (line) => tell(`${side}  ${line}`)))
    }
    // Starts first: afterwards there are orders to deliver, which a start begins with.
    const wanted = [RESTART, ...ACTIONS].filter(({ name }) => name.includes(only))
    const samples: Samples = new Map()
    const rows: Row[] = []
    for (const action of wanted) {
      try {
        const taken = await measureAction(action, opened, { rounds, seconds, tell })
        for (const [name, list] of taken) samples.set(name, list)
        const [row] = compare(taken, [figureOf(action)], new Set())
        rows.push({ ...row!, baseline: YOUNGER })
      } catch (error) {
        // A statement that is ended by its time limit is what an old service may show.
        rows.push(failedRow(action, error as Error))
      }
      if (action === RESTART) await sleep(SELLING_AGAIN_MS)
    }
    const measured = [...samples].map(([variant, list]) => ({
      variant,
      medians: medians(list),
      rounds: list,
    }))
    return {
      rows: [...rows, ...sizeRows(opened.at(-1)!)],
      remarks: [...opened.map(sizeLine), stolenLine(samples)],
      measured: samplesTable(samples),
      details: { scale, measured },
    }
  } finally {
    for (const { world } of opened) await world.close()
  }
}

/** One action at a time, at one service and at the other in turns. */
async function measureAction(
  action: Action,
  opened: readonly Aged[],
  options: Omit<RoundsOptions, 'readTime'>,
): Promise<Samples> {
  const variants: Variant[] = []
  const databases = new Map<number, number>()
  for (const aged of opened) {
    const server = action.isJob ? aged.worker.pid! : aged.world.appPid
    databases.set(server, aged.world.postgres.pid)
    variants.push({ name: nameOf(action, aged.side), server, run: await action.of(aged) })
  }
  const readTime = (server: number) =>
    readProcessorTime({ server, database: databases.get(server)! })
  return measureRounds(variants, { ...options, readTime })
}

function failedRow(action: Action, { message }: Error): Row {
  return {
    figure: action.name,
    baseline: YOUNGER,
    value: Number.POSITIVE_INFINITY,
    must: WITHIN,
    atMost: true,
    lacking: `failed: ${message}`,
  }
}

const nameOf = ({ name }: Action, side: Side) => `${name}, ${side}`

const figureOf = (action: Action): Figure => ({
  figure: action.name,
  of: nameOf(action, 'old'),
  baseline: nameOf(action, 'young'),
  value: action.value,
  must: WITHIN,
  atMost: true,
})

function sizeRows({ seconds, megabytes }: Aged): Row[] {
  return [
    {
      figure: 'the old service, generated in',
      unit: 's',
      value: seconds,
      must: GENERATED_SECONDS_MAX,
      atMost: true,
    },
    {
      figure: 'the old service, on disk',
      unit: 'MB',
      value: megabytes,
      must: DISK_MB_MAX,
      atMost: true,
    },
  ]
}

function sizeLine({ side, sizes, seconds, megabytes }: Aged): string {
  const count = (n: number) => n.toLocaleString('en-US')
  const { accounts, held, rounds } = sizes
  const history = `${count(rounds * ORDERS_A_ROUND)} orders, ${count(rounds * 54)} movements`
  return `The ${side} service: ${count(accounts)} accounts, ${count(held)} with money on their address, ${history}; generated in ${seconds.toFixed(0)} s, ${count(Math.round(megabytes))} MB.`
}
