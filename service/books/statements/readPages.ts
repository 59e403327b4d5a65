import { toBase58 } from '@ergon/tron'
import type { Db } from '../../db/index.ts'
import type { Runtime } from '../../kernel/index.ts'
import type { Charge, Marketplace, Providers } from '../../providers/index.ts'
import { holdSource, type SourceRow, turnPage, writeCharges } from './run.sql.ts'

/** Pages and milliseconds of one round; orders take calls of the same limit. */
const PAGES = 20
const ROUND_MS = 60_000
/** A quarter of a million orders at fifty a page. */
const PAGES_MAX = 5_000

/** `ended`: all since the time was read; `later`: it goes on in the next round; `lost`: another worker has taken over. */
export type Reading = 'ended' | 'later' | 'lost' | { trouble: string }

/** Reads pages, newest first, until one reaches back far enough. Each is committed with its place. */
export async function readPages(
  { db, runtime, providers }: { db: Db; runtime: Runtime; providers: Pick<Providers, 'mayCall'> },
  market: Marketplace,
  { source, lease, from }: { source: SourceRow; lease: string; from: Date },
): Promise<Reading> {
  const startedMs = runtime.clock.elapsedMs()
  const { provider } = source
  let { page } = source
  for (let read = 0; read < PAGES; read += 1) {
    if (Number(source.pages) + read >= PAGES_MAX) {
      return { trouble: `its statement has more than ${PAGES_MAX} pages` }
    }
    if (runtime.clock.elapsedMs() - startedMs > ROUND_MS) return 'later'
    if (!(await providers.mayCall(provider, 'look'))) return 'later'
    const answer = await troubleOr(() => market.readStatement!(page))
    if ('trouble' in answer) return answer
    const { charges, oldest, next } = answer.value
    const own = charges.filter(({ at }) => at >= from)
    await runtime.step(`statement of ${provider}`)
    const held = await db.transaction(async (tx) => {
      if ((await tx.query(holdSource, [provider, lease])).length === 0) return false
      await tx.query(writeCharges, [provider, ...columnsOf(own), new Date(runtime.clock.wallMs())])
      await tx.query(turnPage, [provider, lease, next])
      return true
    })
    if (!held) return 'lost'
    if (next === null || (oldest !== null && oldest < from)) return 'ended'
    page = next
  }
  return 'later'
}

function columnsOf(charges: readonly Charge[]) {
  return [
    charges.map(({ entryId }) => entryId),
    charges.map(({ orderId }) => orderId),
    charges.map(({ reference }) => reference ?? null),
    charges.map(({ amount }) => amount),
    charges.map(({ at }) => at),
    charges.map(({ receiver }) => (receiver ? toBase58(receiver) : null)),
    charges.map(({ energy }) => energy ?? null),
  ]
}

/** An adapter rejects when its marketplace cannot be reached or its answer cannot be read. */
export async function troubleOr<T>(
  ask: () => Promise<T>,
): Promise<{ value: T } | { trouble: string }> {
  try {
    return { value: await ask() }
  } catch (error) {
    return { trouble: error instanceof Error ? error.message.slice(0, 200) : 'no answer' }
  }
}
