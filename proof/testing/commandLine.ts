import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientCommands } from '../../cli/index.ts'
import { commands as operatorCommands } from '../../service/app/commands.ts'
import { settings } from '../../service/kernel/index.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const lists: Record<string, { usage?: string }>[] = [clientCommands, operatorCommands]

/** Placeholders: NAME, <address>, …, T…, 65000, $TO, a URL. */
const isPlace = (word: string) => /^([A-Z][A-Z_0-9-]*|.*[<…].*|[\d,.]+|\$.*|https?:.*)$/.test(word)

/**
 * What a documented command names and does not exist: a word, an option, a script, a file, a
 * setting. Undefined if it is no command of ours.
 */
export function absentIn(line: string): string[] | undefined {
  const [command = ''] = line.split(/ {2,}#| [|&>]/)
  const parts = command.trim().split(/ +/)
  const names: string[] = []
  while (/^[A-Z_]+=/.test(parts[0] ?? '')) names.push(parts.shift()!.split('=')[0]!)
  const absent = names.filter((name) => !Object.hasOwn(settings, name))
  if (parts[0] === 'npx') parts.shift()
  const [program, name = '', ...rest] = parts
  if (program === 'ergon') return [...absent, ...absentInErgon(name, rest)]
  if (program === 'npm') return [...absent, ...absentInNpm(name, rest)]
  if (program === 'node' && name === 'cli/ergon.ts') {
    return [...absent, ...absentInErgon(rest[0] ?? '', rest.slice(1))]
  }
  if (program === 'node') return [...absent, ...absentInNode([name, ...rest])]
  return undefined
}

/** The same without a leading `npx ergon`, as tables of commands write it. */
export function absentInErgon(name: string, rest: string[]): string[] {
  if (isPlace(name) || ['', 'help', '--help', 'completion'].includes(name)) return []
  if (['client', 'operator'].includes(name)) return absentInErgon(rest[0] ?? '', rest.slice(1))
  // Two commands may share a name: what follows it decides which of them is meant.
  const found = lists.flatMap((list) => (Object.hasOwn(list, name) ? list[name]!.usage : []))
  if (found.length === 0) return [name]
  const usage = `${found.join(' ')} --json --help`
  return output(rest).filter((word) => !has(usage, word))
}

function absentInNpm(name: string, rest: string[]): string[] {
  if (['audit', 'outdated'].includes(name)) return []
  // Into another project than this.
  if (name === 'install') return rest.filter((word) => !/^(--save-dev|[\w@./-]+)$/.test(word))
  if (name === 'ci') return rest.filter((word) => !/^--(omit|include)=(dev|optional)$/.test(word))
  const builtIn = ['start', 'test'].includes(name)
  const script = builtIn ? name : (rest.shift() ?? '')
  if (!builtIn && name !== 'run') return [name]
  const at = rest.indexOf('-w')
  const workspace = at < 0 ? '' : `${rest.splice(at, 2)[1]}/`
  const { scripts } = JSON.parse(read(`${workspace}package.json`))
  if (!Object.hasOwn(scripts, script)) return [script]
  // Arguments of `npm test` are test names, not options.
  const given = script === 'test' ? [] : rest.filter((word) => word !== '--')
  const [file] = /\S+\.m?[jt]s$/.exec(scripts[script]) ?? []
  return file ? absentInNode([`${workspace}${file}`, ...given]) : given
}

function absentInNode(parts: string[]): string[] {
  const at = parts.findIndex((part) => !part.startsWith('--'))
  const file = parts[at] ?? ''
  if (!existsSync(join(ROOT, file))) return [file]
  const source = read(file)
  const options = output(parts.slice(at + 1).map((part) => part.replaceAll(/[[\]]/g, '')))
  return options.filter((word) => !has(source, word.replace(/^--/, '')))
}

/** The words and options to check; what follows an option is its value. */
function output(parts: string[]): string[] {
  const isValue = (at: number) => parts[at - 1]?.startsWith('--') && !parts[at]!.startsWith('--')
  return parts
    .filter((part, at) => !isValue(at) && part !== '' && !isPlace(part))
    .flatMap((part) => part.split(/[|,]/))
}

function has(text: string, word: string): boolean {
  const plain = word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\w-])${plain}(?![\\w-])`).test(text)
}
