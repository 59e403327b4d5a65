/**
 * A token of SQL. Comments and blanks are skipped; `$$` is a token, so that bodies of functions are
 * read.
 */
export type Token = {
  kind: 'word' | 'number' | 'text' | 'parameter' | 'mark'
  text: string
  /** The text, words in lower case. */
  is: string
  start: number
  end: number
  /** How many brackets are open around it; a bracket itself counts as outside. */
  depth: number
}

const TOKEN = new RegExp(
  [
    String.raw`(?<skip>\s+|--[^\n]*|/\*[\s\S]*?\*/)`,
    `(?<text>'(?:[^']|'')*'|"[^"]*")`,
    String.raw`(?<parameter>\$\d+)`,
    String.raw`(?<quote>\$\w*\$)`,
    String.raw`(?<number>\d[\d_]*(?:\.\d+)?)`,
    String.raw`(?<word>[A-Za-z_]\w*)`,
    String.raw`(?<mark>::|:=|=>|<=|>=|<>|!=|->>|->|\|\||@>|<@|[\s\S])`,
  ].join('|'),
  'y',
)

export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = []
  let depth = 0
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(sql); match; match = TOKEN.exec(sql)) {
    const { skip, text, parameter, number, word } = match.groups!
    if (skip !== undefined) continue
    const found = match[0]
    if (found === ')' || found === ']') depth -= 1
    let kind: Token['kind'] = 'mark'
    if (word !== undefined) kind = 'word'
    else if (number !== undefined) kind = 'number'
    else if (text !== undefined) kind = 'text'
    else if (parameter !== undefined) kind = 'parameter'
    const end = TOKEN.lastIndex
    tokens.push({ kind, text: found, is: found.toLowerCase(), start: match.index, end, depth })
    if (found === '(' || found === '[') depth += 1
  }
  return tokens
}
