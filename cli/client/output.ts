/** TypeScript's declarations do not have it yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown }

/** Amounts stay exact: a bigint is written as an integer, as the API writes it. */
export function printJson(value: unknown): void {
  const exact = (_name: string, field: unknown) =>
    typeof field === 'bigint' ? rawJSON(field.toString()) : field
  console.log(JSON.stringify(value, exact, 2))
}

/** Columns as wide as necessary; without rows prints `empty`. */
export function printTable(rows: (string | number | bigint)[][], empty: string): void {
  if (rows.length === 0) console.log(empty)
  const texts = rows.map((row) => row.map(String))
  const widths = (texts[0] ?? []).map((_, column) =>
    Math.max(...texts.map((row) => row[column]!.length)),
  )
  for (const row of texts) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
  }
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
