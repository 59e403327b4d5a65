import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Milliseconds of processor time used so far. Linux only, like the bench. */
export type ProcessorTime = {
  server: number
  database: number
  everybody: number
  /** Time that the host took while a process here wanted to run. */
  stolen: number
}

const MS_PER_TICK = 10

export function readProcessorTime(pids: { server: number; database: number }): ProcessorTime {
  const { busy, stolen } = machineTicks()
  return {
    server: timeOf(pids.server),
    database: treeTime(pids.database),
    everybody: busy * MS_PER_TICK,
    stolen: stolen * MS_PER_TICK,
  }
}

/** Milliseconds of one process. */
export function timeOf(pid: number): number {
  return ticksOf(pid).own * MS_PER_TICK
}

/** Milliseconds of a process and its children. */
export function treeTime(pid: number): number {
  return treeTicks(pid) * MS_PER_TICK
}

/** Time of this process and of its descendants that have ended and were waited for. */
export function familyTime(): number {
  const { own, waitedFor } = ticksOf(process.pid)
  return (own + waitedFor) * MS_PER_TICK
}

/** Ended backends are in the ticks their parent has waited for; those of running ones are added. */
function treeTicks(root: number): number {
  const { own, waitedFor } = ticksOf(root)
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const alive = children.map(Number).map(ticksOf)
  return alive.reduce((sum, one) => (one.parent === root ? sum + one.own : sum), own + waitedFor)
}

function ticksOf(pid: number): { parent: number; own: number; waitedFor: number } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name is in brackets and may contain anything, so count from behind it.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent, user, system, childrenUser, childrenSystem] = [1, 11, 12, 13, 14].map(
      (place) => fields[place] ?? 0,
    )
    return { parent: parent!, own: user! + system!, waitedFor: childrenUser! + childrenSystem! }
  } catch {
    return { parent: 0, own: 0, waitedFor: 0 }
  }
}

/** All processors together, without idle time. */
function machineTicks(): { busy: number; stolen: number } {
  const line = readFileSync('/proc/stat', 'utf8').split('\n')[0]!
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return { busy: user + nice + system + irq + softIrq, stolen }
}

export function processors(): number {
  return availableParallelism()
}
