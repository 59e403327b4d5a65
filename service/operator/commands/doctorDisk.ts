import { type Check, fine, ill, type Patient } from './check.ts'

const GB = 1_000_000_000
const FREE_MIN = 2 * GB
/** Small disks warn from here on, when less than a twentieth is free. */
const FREE_ENOUGH = 20 * GB
const FREE_SHARE_MIN = 0.05

export function checkDisk({ disk }: Patient, folder: string, what: string): Check[] {
  const space = disk(folder)
  if (!space) return []
  const { free, total } = space
  const said = `${(free / GB).toFixed(1)} of ${(total / GB).toFixed(1)} GB are free for ${what}`
  const isLow = free < FREE_MIN || (free < FREE_ENOUGH && free < total * FREE_SHARE_MIN)
  if (!isLow) return [fine('disk', `${said}.`)]
  const cause = `Only ${said} (${folder}): PostgreSQL stops when its disk is full.`
  return [
    ill(
      'disk',
      cause,
      'Free some space or enlarge the disk; docs/operating/capacity.md has the growth.',
    ),
  ]
}
