// Records what a test file runs: names of functions in the service, SQL statements and SQL
// functions.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const CALL = /\b([a-z_]+\.[a-z_]+)\s*\(/g

export async function measure(folder: string): Promise<void> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const sql = recordSql()
  const file = expect.getState().testPath ?? ''
  // Registered first, so it runs after the file's own hooks.
  afterAll(async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const functions: Record<string, string[]> = {}
    for (const script of result) {
      const path = script.url.replace(/^file:\/\//, '').replace(/\?.*$/, '')
      if (!path.startsWith(join(ROOT, 'service/'))) continue
      const ran = script.functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0))
      const names = new Set(ran.map(({ functionName }) => bareName(functionName)))
      functions[path.slice(ROOT.length + 1)] = [...names].filter(Boolean)
    }
    const name = createHash('sha256').update(file).digest('hex').slice(0, 16)
    const text = JSON.stringify({ file, functions, sql: [...sql].sort() })
    writeFileSync(join(folder, `${name}.json`), text)
  })
}

/** The name in the source: `name` for `get Room.#name`. */
const bareName = (name: string) => name.split(/[ .#]/).at(-1)!

/** Names of the statements sent through the driver, and of the SQL functions they call. */
function recordSql(): Set<string> {
  const recorded = new Set<string>()
  const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown }
  const { query } = prototype
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [given] = args as [string | { name?: string; text?: string } | undefined]
    const { name, text } =
      typeof given === 'string' ? { name: undefined, text: given } : (given ?? {})
    if (name) recorded.add(name)
    for (const [, called] of (text ?? '').toLowerCase().matchAll(CALL)) recorded.add(called!)
    return query.apply(this, args)
  }
  return recorded
}
