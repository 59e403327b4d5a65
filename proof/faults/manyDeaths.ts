import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { until } from '../testing/until.ts'
import { type GivenSettings, type Life, runWorld, type World } from './mortalWorld.ts'

const PATIENCE_MS = 120_000
const DAY_MS = 86_400_000

/**
 * The part of the places to try. `CRASH_SECONDS=900` tries all; without it there is time for one
 * part, another one each day, so all were tried after `parts` days.
 */
export function partOfToday(parts: number): { part: number; parts: number } {
  const all = process.env.CRASH_SECONDS !== undefined
  return all ? { part: 0, parts: 1 } : { part: Math.floor(Date.now() / DAY_MS) % parts, parts }
}

/** One run in which a process is killed at every place of a kind, or at today's part of them. */
export async function dieEverywhere(
  life: Life,
  options: { name: string; places: RegExp; parts: number; settings?: GivenSettings },
): Promise<number> {
  const { name, places, settings } = options
  const { part, parts } = partOfToday(options.parts)
  const share = `${part}/${parts}`
  const { deaths } = await runWorld(life, { everywhere: places, share }, settings)
  console.log(`${name}: killed ${deaths} times, part ${share} of the places`)
  return deaths
}

/**
 * Waits for a run with many kills: longer limits, blocks, and an end of the killing on a slow
 * machine.
 */
export function patient({ devnet, children, database, folder }: World, secondsOfDeath: number) {
  const { chain } = devnet
  const startedMs = performance.now()
  const withinMs = Number(process.env.CRASH_SECONDS ?? secondsOfDeath) * 1_000

  function spareInTime(): void {
    if (performance.now() - startedMs < withinMs) return
    children.app.spare()
    children.signer.spare()
  }

  const become = (what: string, condition: () => unknown | Promise<unknown>) =>
    until(
      what,
      async () => {
        spareInTime()
        return condition()
      },
      PATIENCE_MS + withinMs,
    )

  function arm(): void {
    children.app.arm()
    children.signer.arm()
  }

  return {
    become,
    /** Mines until the query finds a row; the next block comes when the last one is read. */
    mineUntil: (what: string, sql: string) =>
      become(what, async () => {
        if ((await database.sql(sql)).length > 0) return true
        const [at] = await database.sql<{ number: string }>(`select number from chain.cursor`)
        if (!at || Number(at.number) === chain.head.number) chain.mine()
        return false
      }),
    async control(path: string, body: Record<string, unknown>): Promise<void> {
      const init = { method: 'POST', body: JSON.stringify(body) }
      const answer = await fetch(`${devnet.url}/control/${path}`, init)
      expect(answer.status).toBe(200)
    },
    arm,
    /** Each step kills once more. */
    armAgain() {
      for (const name of Object.keys(children)) rmSync(join(folder, name), { force: true })
      arm()
    },
  }
}
