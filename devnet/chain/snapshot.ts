import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { parseJson } from '@ergon/tron'
import { type ReadTables, type State, type TableName, tableNames } from './state.ts'

/** The state after one block, in a file that is either the old one or the new one, never half. */
export function writeSnapshot(path: string, block: number, tables: ReadTables): void {
  const unfinished = `${path}.new`
  const file = openSync(unfinished, 'w')
  let lines = `${JSON.stringify({ format, block })}\n`
  for (const row of snapshotRows(tables)) {
    lines += `${row}\n`
    if (lines.length < chunkChars) continue
    writeAll(file, lines)
    lines = ''
  }
  writeAll(file, lines)
  fsyncSync(file)
  closeSync(file)
  renameSync(unfinished, path)
}

/** Every row of the state as a line of JSON. */
export function* snapshotRows(tables: ReadTables): Iterable<string> {
  for (const name of tableNames) {
    for (const [key, value] of tables[name].entries()) {
      yield JSON.stringify([name, key, value], writeBigint)
    }
  }
}

/** Fills the empty state; answers the block it stands at, or undefined when there is no snapshot. */
export function readSnapshot(path: string, state: State): number | undefined {
  if (!existsSync(path)) return undefined
  const [first, ...rows] = readFileSync(path, 'utf8').trimEnd().split('\n')
  const head = JSON.parse(first!) as { format: number; block: number }
  if (head.format !== format) throw new Error(`${path} was written by another version; reset it`)
  for (const row of rows) {
    const [name, key, value] = JSON.parse(row, readBigint) as [TableName, string, never]
    state.tables[name].restore(key, value)
  }
  return head.block
}

/** A small JSON file that is replaced as a whole. */
export function replaceFile(path: string, text: string): void {
  const file = openSync(`${path}.new`, 'w')
  writeAll(file, text)
  fsyncSync(file)
  closeSync(file)
  renameSync(`${path}.new`, path)
}

export function readJsonFile(path: string): unknown {
  return existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : undefined
}

const format = 1
const chunkChars = 1 << 20

// bigint and number are different things to the state, so a bigint is written as an object: a
// marked string could also be the name of a permission.
function writeBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { $bigint: value.toString() } : value
}

function readBigint(_key: string, value: unknown): unknown {
  const isBigint = typeof value === 'object' && value !== null && '$bigint' in value
  return isBigint ? BigInt(value.$bigint as string) : value
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
}
