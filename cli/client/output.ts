import { sunToTrx } from '../../sdk/index.ts'

/** Marks a bigint in JSON text; JSON.rawJSON is not in Node 20. */
const INTEGER = '\0integer '

/** Amounts stay exact: a bigint is written as an integer, as the API writes it. */
export function printJson(value: unknown): void {
  console.log(jsonText(value))
}

export function jsonText(value: unknown): string {
  const marked = (_name: string, field: unknown) =>
    typeof field === 'bigint' ? `${INTEGER}${field}` : field
  const text = JSON.stringify(value, marked, 2) ?? 'null'
  return text.replaceAll(/"\\u0000integer (-?\d+)"/g, '$1')
}

type Cell = string | number | bigint

/** Columns as wide as necessary under their headers; without rows prints `empty`. */
export function printTable(headers: string[], rows: Cell[][], empty: string): void {
  if (rows.length === 0) console.log(empty)
  else printColumns([headers, ...rows])
}

/** A name and a value on each line. */
export function printFields(rows: [string, Cell][]): void {
  printColumns(rows)
}

function printColumns(rows: Cell[][]): void {
  const texts = rows.map((row) => row.map(String))
  const widths = texts[0]!.map((_, column) => Math.max(...texts.map((row) => row[column]!.length)))
  for (const row of texts) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column]!))
    console.log(cells.join('  ').trimEnd())
  }
}

/** 1950000n and '1.95' are "1.95 TRX"; thousands have commas. */
export function trx(amount: bigint | string): string {
  const [whole = '', fraction] = (typeof amount === 'bigint' ? sunToTrx(amount) : amount).split('.')
  return `${grouped(whole)}${fraction ? `.${fraction}` : ''} TRX`
}

/** 65000 is 65,000, which every command also reads. */
export function count(number: number | bigint | string): string {
  return grouped(String(number))
}

const grouped = (digits: string) => digits.replace(/\B(?=(\d{3})+$)/g, ',')

/** A time of the API in the time zone of this machine. */
export function when(iso: string | null): string {
  if (iso === null) return '-'
  const at = new Date(iso)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`
}

export type Progress = { say(line: string): void; end(): void }

/** On a terminal one line that changes; elsewhere one line per change. */
export function createProgress(): Progress {
  const { stderr } = process
  let last = ''
  return {
    say(line) {
      if (stderr.isTTY) stderr.write(`\r\x1b[K${line}`)
      else if (line !== last) stderr.write(`${line}\n`)
      last = line
    },
    end() {
      if (stderr.isTTY && last) stderr.write('\r\x1b[K')
    },
  }
}
