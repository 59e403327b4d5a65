import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Fields of a row type as written in the source: name → type. */
export type RowType = Record<string, string>

type Source = { file: string; text: string }

const STATEMENT = /\bstatement<((?:[^<>]|<[^<>]*>)+)>\(\s*'([\w.]+)'/g

/** Reads row types from the source of a store: they do not exist at run time. */
export function rowTypesOf(file: string): Map<string, RowType> {
  const source = { file, text: readFileSync(file, 'utf8') }
  const found = source.text.matchAll(STATEMENT)
  return new Map([...found].map(([, type, name]) => [name!, fieldsOf(type!, source)]))
}

/** Understands what stores use: literals, names, Pick, Omit, and intersections of these. */
function fieldsOf(type: string, source: Source): RowType {
  const parts = type.split(/&(?![^{]*\})/).map((part) => part.trim())
  return Object.assign({}, ...parts.map((part) => fieldsOfPart(part, source)))
}

function fieldsOfPart(type: string, source: Source): RowType {
  if (type.startsWith('{')) return literalFields(type.slice(1, -1))
  const choice = /^(Pick|Omit)<\s*(\w+),([\s\S]+)>$/.exec(type)
  if (choice) {
    const [, how, base, names] = choice
    const listed = new Set([...names!.matchAll(/'(\w+)'/g)].map(([, name]) => name))
    const kept = Object.entries(fieldsOf(base!, source)).filter(
      ([name]) => listed.has(name) === (how === 'Pick'),
    )
    return Object.fromEntries(kept)
  }
  const body = new RegExp(
    `^(?:export )?type ${type} =([\\s\\S]+?)\\n(?=\\n|export|const|type)`,
    'm',
  )
  const declared = body.exec(`${source.text}\n\n`)?.[1]
  if (declared !== undefined) return fieldsOf(declared.trim(), source)
  const from = new RegExp(`import [^;]*?\\b${type}\\b[^;]*?from '(\\.{1,2}/[^']+)'`).exec(
    source.text,
  )
  if (!from) throw new Error(`${source.file}: where is the row type ${type}?`)
  const file = join(dirname(source.file), from[1]!)
  return fieldsOf(type, { file, text: readFileSync(file, 'utf8') })
}

function literalFields(body: string): RowType {
  const code = body.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
  const fields = code.matchAll(/(?:^|[;\n])\s*(?:readonly )?(\w+)\??: ([^;\n]+?),?\s*(?=[;\n]|$)/g)
  return Object.fromEntries([...fields].map(([, name, type]) => [name, type]))
}
