/** The period of a month such as 2026-11. Undefined for anything else, and for a future month. */
export function monthOf(name: string, now: Date): { from: Date; to: Date } | undefined {
  const [, year, month] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(name) ?? []
  if (!year || !month) return undefined
  const from = new Date(Date.UTC(Number(year), Number(month) - 1))
  const to = new Date(Date.UTC(Number(year), Number(month)))
  return from <= now ? { from, to } : undefined
}

/** One CSV line. A quote before =, +, - or @ stops spreadsheets from reading a formula. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

function cell(text: string): string {
  const isNumber = /^-?\d+(\.\d+)?$/.test(text)
  const plain = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
