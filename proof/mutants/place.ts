import { createHash } from 'node:crypto'

/** The kinds of one-token bugs, in the order of the table and of the draw. */
export const KINDS = [
  'comparison',
  'border',
  'sign',
  'order',
  'where',
  'await',
  'negation',
  'boolean',
] as const
export type Kind = (typeof KINDS)[number]

/** One change of a source text, not yet tied to a file. */
export type Change = {
  kind: Kind
  start: number
  before: string
  after: string
  /**
   * Names of the functions that run the changed code: the innermost named one around it or, for a
   * constant of the file, all that use it. Empty: every test that loads the file runs it.
   */
  inFunctions?: string[]
  /** The name of the statement, for SQL in TypeScript. */
  inStatement?: string | undefined
  /** `room.function`, for SQL files. */
  inSqlFunction?: string | undefined
}

export type Place = Change & {
  /** Depends on the line's text and the change, so it stays the same when other lines move it. */
  id: string
  file: string
  room: string
  line: number
  lineText: string
}

/** Gives the changes of one file their lines and ids, in the order of the text. */
export function placesOf(file: string, text: string, changes: readonly Change[]): Place[] {
  const lines = text.split('\n')
  const starts = [0]
  for (const line of lines) starts.push(starts.at(-1)! + line.length + 1)
  const room = file.split('/')[1]!
  return changes
    .toSorted((a, b) => a.start - b.start)
    .map((change) => {
      const index = starts.findLastIndex((start) => start <= change.start)
      const lineText = lines[index]!.trim()
      const alike = lines.slice(0, index).filter((line) => line.trim() === lineText).length
      const column = change.start - starts[index]! - lines[index]!.indexOf(lineText)
      const key = [file, lineText, alike, column, change.before, change.after].join('\0')
      const id = createHash('sha256').update(key).digest('hex').slice(0, 8)
      return { ...change, id, file, room, line: index + 1, lineText }
    })
}

export function plant(text: string, { start, before, after }: Change): string {
  return text.slice(0, start) + after + text.slice(start + before.length)
}

/** The changed lines before and after, as in a diff. */
export function differenceOf(text: string, place: Place): string {
  const from = text.lastIndexOf('\n', place.start - 1) + 1
  const end = text.indexOf('\n', place.start + place.before.length)
  const old = text.slice(from, end < 0 ? undefined : end)
  const lines = (sign: string, piece: string) => piece.split('\n').map((line) => `${sign}${line}`)
  const made = plant(old, { ...place, start: place.start - from })
  return [...lines('-', old), ...lines('+', made)].join('\n')
}

/** A change in one line; long conditions are cut. */
export function changeOf({ before, after }: Change): string {
  const short = (text: string) => {
    const flat = text.replaceAll(/\s+/g, ' ').trim()
    return flat.length > 60 ? `${flat.slice(0, 57)}…` : flat
  }
  return `${short(before)} -> ${short(after) || 'nothing'}`
}
