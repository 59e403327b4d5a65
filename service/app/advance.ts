import { setTimeout as pause } from 'node:timers/promises'
import { advanceBusinessTime, type Db } from '../db/index.ts'
import { Fault, type MovableClock } from '../kernel/index.ts'
import type { DevnetControl } from '../sandbox-api/index.ts'
import type { Rooms } from './rooms.ts'

const FOLLOW_MS_MAX = 20_000
const POLL_MS = 10

/**
 * Moves business time and block time together, and returns when the scanner has read the blocks
 * that carry the new time to finality.
 */
export async function advanceSandbox(
  deps: { db: Db; clock: MovableClock; devnet: DevnetControl; rooms: Rooms; solidLag: number },
  seconds: number,
): Promise<void> {
  const { db, clock, devnet, rooms, solidLag } = deps
  const to = new Date(clock.now().getTime() + seconds * 1_000)
  await rooms.events.prepare(to)
  await devnet.advance(seconds)
  await advanceBusinessTime(db, clock, seconds * 1_000)
  const head = await devnet.mine(solidLag + 1)
  rooms.chain.scanLoop.wake()
  for (const deadline = clock.elapsedMs() + FOLLOW_MS_MAX; ; await pause(POLL_MS)) {
    const at = await rooms.chain.progress()
    if (at && at.number >= head.number && at.solidNumber >= head.number - solidLag) break
    if (clock.elapsedMs() > deadline) throw new Fault('the scanner did not follow the clock')
  }
  await rooms.chain.lag.look()
}
