import { NodeTrouble } from '@ergon/tron'
import { type Clock, type Log, withoutSecrets } from '../kernel/index.ts'
import { type AsideRow, countAside, listAside, putAside, retryAll, takeBack } from './apart.sql.ts'
import type { Db, Queryable } from './pool.ts'
import { isOfDatabase } from './servers.ts'

/** A transaction that locks its own rows: at most `most`, without `skip`; it names them by `took`. */
export type Claim = { most: number; skip: readonly string[]; took(ids: readonly string[]): void }

/**
 * Isolates the things of one loop. A thing that fails is put aside with its error and tried again after a
 * pause that grows; the others go on in the same round. Errors of the database or of a node that does not
 * answer are not of one thing: they fail the round.
 */
export type Apart = {
  /** Things that are put aside now. A query with a limit leaves them out, or they would fill it. */
  waiting(): string[]
  /** Handles one thing; undefined when it is put aside. */
  alone<T>(id: string, work: () => Promise<T>): Promise<T | undefined>
  /** Handles one row after the other; returns the results without those of rows put aside. */
  each<Row, T>(
    rows: readonly Row[],
    idOf: (row: Row) => string,
    work: (row: Row) => Promise<T>,
  ): Promise<T[]>
  /** Handles all rows at once; after an error, each by itself. */
  together<Row, T>(
    rows: readonly Row[],
    idOf: (row: Row) => string,
    work: (rows: readonly Row[]) => Promise<T>,
  ): Promise<T[]>
  /** Runs a transaction that locks its own rows; after an error, once for each of them. */
  claim<T>(most: number, work: (claim: Claim) => Promise<T>): Promise<T[]>
  /**
   * Runs a statement over many rows; after an error, `one` for each row that `list` finds. What was put aside
   * and is due counts as handled with the others, so this needs an `Apart` of its own.
   */
  bulk<T>(
    all: () => Promise<T>,
    list: () => Promise<{ id: string }[]>,
    one: (id: string) => Promise<T>,
  ): Promise<T[]>
  /** Notes the error of a thing that nothing may pass, and throws it. */
  noting<T>(id: string, work: () => Promise<T>): Promise<T>
}

type Deps = { db: Db; clock: Clock; log: Log }

const PAUSE_SECONDS_MAX = 600
/** A node that answers with errors is mended within minutes, and then all of its things can go on. */
const NODE_PAUSE_SECONDS_MAX = 30
const ERROR_LENGTH_MAX = 500
/** After this long a thing that was not tried again is gone, and is forgotten here. */
const KNOWN_MS = 3_600_000
/** Kinds of trouble of the node itself. The others may be about what was asked. */
const OF_NODE = ['timeout', 'unreachable', 'rate_limited', 'not_served', 'stale']

const loops = new Set<string>()

/** `kind` is the word for the things in the operators' list: `order`, `deposit`. */
export function createApart(
  deps: Deps,
  of: { loop: string; kind: string; pauseMax?: number },
): Apart {
  const { db, clock, log } = deps
  const { loop, kind, pauseMax = PAUSE_SECONDS_MAX } = of
  loops.add(loop)
  /** Next try in business time, of what failed in this process. */
  const known = new Map<string, number>()

  const isWaiting = (id: string) => (known.get(id) ?? 0) > clock.now().getTime()

  function waiting(): string[] {
    if (known.size === 0) return []
    const now = clock.now().getTime()
    for (const [id, at] of known) if (at < now - KNOWN_MS) known.delete(id)
    return [...known].flatMap(([id, at]) => (at > now ? id : []))
  }

  async function fails(id: string, error: unknown): Promise<void> {
    const subject = `${kind} ${id}`
    const most =
      error instanceof NodeTrouble ? Math.min(pauseMax, NODE_PAUSE_SECONDS_MAX) : pauseMax
    const values = [loop, subject, textOf(error), clock.now(), most]
    const [row] = await db.query(putAside, values)
    known.set(id, row!.nextAt.getTime())
    log.error('put_aside', { loop, subject, failures: row!.failures, error })
  }

  async function succeeded(ids: readonly string[]): Promise<void> {
    if (known.size === 0) return
    for (const id of ids) {
      if (!known.delete(id)) continue
      await db.query(takeBack, [loop, `${kind} ${id}`])
    }
  }

  async function noting<T>(id: string, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      await succeeded([id])
      return result
    } catch (error) {
      if (isOfOne(error)) await fails(id, error)
      throw error
    }
  }

  async function alone<T>(id: string, work: () => Promise<T>): Promise<T | undefined> {
    if (isWaiting(id)) return undefined
    let result: T
    try {
      result = await work()
    } catch (error) {
      if (!isOfOne(error)) throw error
      await fails(id, error)
      return undefined
    }
    await succeeded([id])
    return result
  }

  const each: Apart['each'] = async (rows, idOf, work) => {
    const results = []
    for (const row of rows) {
      const result = await alone(idOf(row), async () => ({ of: await work(row) }))
      if (result) results.push(result.of)
    }
    return results
  }

  const together: Apart['together'] = async (given, idOf, work) => {
    const rows = given.filter((row) => !isWaiting(idOf(row)))
    if (rows.length === 0) return []
    if (rows.length === 1) return each(rows, idOf, (row) => work([row]))
    try {
      const result = await work(rows)
      await succeeded(rows.map(idOf))
      return [result]
    } catch (error) {
      if (!isOfOne(error)) throw error
      log.error('group_failed', { loop, count: rows.length, error })
      return each(rows, idOf, (row) => work([row]))
    }
  }

  /** Returns the result and the ids of one run, or puts its only thing aside. */
  async function run<T>(
    { most, skip }: { most: number; skip: readonly string[] },
    work: (claim: Claim) => Promise<T>,
  ): Promise<{ ids: string[]; done: T[]; failed: boolean }> {
    const ids: string[] = []
    try {
      const result = await work({ most, skip, took: (more) => void ids.push(...more) })
      await succeeded(ids)
      return { ids, done: [result], failed: false }
    } catch (error) {
      if (!isOfOne(error) || ids.length === 0) throw error
      if (ids.length === 1) await fails(ids[0]!, error)
      else log.error('group_failed', { loop, count: ids.length, error })
      return { ids, done: [], failed: true }
    }
  }

  async function claim<T>(most: number, work: (claim: Claim) => Promise<T>): Promise<T[]> {
    const first = await run({ most, skip: waiting() }, work)
    if (!first.failed || first.ids.length === 1) return first.done
    const done: T[] = []
    const tried: string[] = []
    // Not by their ids: another process may have taken some of them meanwhile.
    for (const _ of first.ids) {
      const one = await run({ most: 1, skip: [...waiting(), ...tried] }, work)
      done.push(...one.done)
      tried.push(...one.ids)
      if (one.ids.length === 0) break
    }
    return done
  }

  const bulk: Apart['bulk'] = async (all, list, one) => {
    try {
      const result = await all()
      await succeeded([...known.keys()].filter((id) => !isWaiting(id)))
      return [result]
    } catch (error) {
      if (!isOfOne(error)) throw error
      log.error('group_failed', { loop, error })
      return each(
        await list(),
        ({ id }) => id,
        ({ id }) => one(id),
      )
    }
  }

  return { waiting, alone, each, together, claim, bulk, noting }
}

/** Whether an error may be of one thing alone. */
function isOfOne(error: unknown): boolean {
  if (error instanceof NodeTrouble) return !OF_NODE.includes(error.kind)
  return !isOfDatabase(error)
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return withoutSecrets(text).slice(0, ERROR_LENGTH_MAX)
}

export type Aside = AsideRow

/** For operators: what is put aside, and how much of it in each loop, also where nothing is. */
export async function readAside(db: Queryable, now: Date, most: number) {
  const [rows, counts] = await Promise.all([
    db.query(listAside, [now, most]),
    db.query(countAside, [now]),
  ])
  const byLoop = new Map([...loops].map((loop) => [loop, 0n]))
  for (const { loop, count } of counts) byLoop.set(loop, count)
  const oldest = counts.map((one) => one.oldest).toSorted((a, b) => a.getTime() - b.getTime())[0]
  return { rows, byLoop, oldest: oldest ?? null }
}

/** At the start of a process that has loops. */
export async function retryAside(db: Queryable, now: Date): Promise<void> {
  await db.query(retryAll, [now])
}
