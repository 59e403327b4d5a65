import type { Result } from './record.ts'

const GOAL = 0.95

export type Row = { room: string; planted: number; caught: number; survived: number }

/** By room and in total. Invalid and equivalent mutants are left out. */
export function rowsOf(results: readonly Result[]): Row[] {
  const counted = results.filter(({ outcome }) => outcome !== 'invalid')
  const rooms = [...new Set(counted.map(({ room }) => room))].sort()
  const rowOf = (room: string, of: readonly Result[]): Row => {
    const caught = of.filter(({ outcome }) => outcome === 'caught').length
    return { room, planted: of.length, caught, survived: of.length - caught }
  }
  const each = rooms.map((room) =>
    rowOf(
      room,
      counted.filter((one) => one.room === room),
    ),
  )
  return [...each, rowOf('all', counted)]
}

export function tableOf(results: readonly Result[]): string {
  const percent = ({ caught, planted }: Row) =>
    planted === 0 ? '–' : `${((100 * caught) / planted).toFixed(1)} %`
  const rows = rowsOf(results).map(
    (row) => `| ${row.room} | ${row.planted} | ${row.caught} | ${row.survived} | ${percent(row)} |`,
  )
  return [
    '| Room | Planted | Caught | Survived | Caught of planted |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

/** Each surviving mutant: its place, the change, and the tests that were tried. */
export function survivorsOf(results: readonly Result[]): string[] {
  return results
    .filter(({ outcome }) => outcome === 'survived' || outcome === 'untested')
    .sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
    .map(({ id, file, line, lineText, kind, change, outcome, tried, untried }) => {
      const none = outcome === 'untested' ? 'no test of the room' : tried.join(' ')
      const left = untried.length > 0 ? `\n  no time for: ${untried.join(' ')}` : ''
      return `${file}:${line}  ${kind}: ${change}  (${id})\n  ${lineText}\n  tried: ${none}${left}`
    })
}

export function isGoodEnough(results: readonly Result[]): boolean {
  const { planted, caught } = rowsOf(results).at(-1)!
  return planted > 0 && caught >= GOAL * planted
}
