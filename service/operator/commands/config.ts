import { environment, isSecret, settings } from '../../kernel/index.ts'
import type { Command } from '../command.ts'
import { usage } from './usage.ts'

type Row = {
  name: string
  value: string
  default: string
  meaning: string
  /** Expected format, when the value cannot be parsed. */
  expected?: string
}

export const config: Command = {
  summary: 'Prints every setting with its value here; secrets are masked (--json for machines)',
  usage: usage.config,
  run(args) {
    const rows = Object.keys(settings).map((name) => rowOf(name as keyof typeof settings))
    console.log(args.includes('--json') ? JSON.stringify(rows, null, 2) : table(rows))
    return rows.some(({ expected }) => expected) ? 1 : 0
  },
}

function rowOf(name: keyof typeof settings): Row {
  const { default: fallback, meaning, expected, parse } = settings[name]
  const value = environment()[name] ?? fallback
  const row = { name, value: masked(name, value), default: fallback, meaning }
  return parse(value) === undefined ? { ...row, expected } : row
}

/** Masks secrets, because the output may be seen by others. */
function masked(name: string, value: string): string {
  if (isSecret(name)) return value && '…'
  const parts = value.split(',').map((part) => part.replace(/(:\/\/[^:@/]*):.*@/, '$1:…@'))
  return parts.join(',').replaceAll(/([?&]password=)[^&,]*/g, '$1…')
}

function table(rows: Row[]): string {
  const nameWidth = Math.max(...rows.map(({ name }) => name.length))
  const valueWidth = Math.min(32, Math.max(...rows.map(({ value }) => value.length)))
  return rows
    .map(({ name, value, default: fallback, meaning, expected }) => {
      const shown = (value || '(empty)').padEnd(valueWidth)
      const origin = value === fallback ? '' : `; default ${fallback || '(empty)'}`
      const note = expected ? `CANNOT BE READ, expected ${expected}` : `${meaning}${origin}`
      return `${name.padEnd(nameWidth)}  ${shown}  ${note}`
    })
    .join('\n')
}
