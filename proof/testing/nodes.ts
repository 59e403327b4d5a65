import type { TestDatabase } from './database.ts'
import { until } from './until.ts'

/** Waits until each of `count` API nodes counts all of them. */
export async function untilNodesKnowEachOther(database: TestDatabase, count: number) {
  const seen = () => database.sql<{ seen_at: Date }>('select seen_at from http.node')
  const all = await until(`${count} nodes to register`, async () => {
    const rows = await seen()
    return rows.length === count && rows
  })
  const complete = Math.max(...all.map(({ seen_at }) => seen_at.getTime()))
  await until('each node to count again', async () => {
    const rows = await seen()
    return rows.length === count && rows.every(({ seen_at }) => seen_at.getTime() > complete)
  })
}
