import { setTimeout as pause } from 'node:timers/promises'
import { advanceBusinessTime, type Db } from '../db/index.ts'
import { Fault, type MovableClock } from '../kernel/index.ts'
import type { DevnetControl } from '../sandbox-api/index.ts'
import type { Rooms } from './rooms.ts'

const FOLLOW_MS_MAX = 20_000
const DELIVER_MS_MAX = 20_000
const POLL_MS = 10
const DELIVER_POLL_MS = 25

type Deps = {
  db: Db
  clock: MovableClock
  devnet: DevnetControl
  rooms: Rooms
  solidLag: number
}

/**
 * Moves business time and block time together, and returns when the scanner has read the blocks
 * that carry the new time to finality. What is on its way is delivered first, in the old time.
 */
export async function advanceSandbox(deps: Deps, seconds: number): Promise<void> {
  const { db, clock, devnet, rooms, solidLag } = deps
  await deliverFirst(deps)
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

/**
 * Mines what waits for a block, until orders and standing Energy have their evidence or only scripted
 * faults hold them. Otherwise a jump of two minutes would fail every order of the last seconds.
 */
async function deliverFirst({ clock, devnet, rooms }: Deps): Promise<void> {
  const deadline = clock.elapsedMs() + DELIVER_MS_MAX
  for (; clock.elapsedMs() < deadline; await pause(DELIVER_POLL_MS)) {
    const { head, pool } = await devnet.state()
    if (pool.length > 0) {
      await devnet.mine(1)
      rooms.chain.scanLoop.wake()
      continue
    }
    const at = await rooms.chain.progress()
    if ((at?.number ?? 0) < head.number) continue
    // In this order: an order that starts in between is found under way.
    const { count } = await rooms.orders.pending()
    if (count === 0n && !(await rooms.delivery.isUnderWay())) return
  }
}
