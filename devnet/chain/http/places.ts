/** Where a value of the outermost object stands, and its characters as they came. */
export type Place = { line: number; column: number; token: string }

/**
 * The places of the outermost values of a JSON object, because a node names them in its errors
 * ("1:12: Expected string."). The text is known to be valid JSON.
 */
export function placesOf(text: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  let at = text.indexOf('{') + 1
  while (at > 0 && at < text.length) {
    at = skip(text, at, /[\s,]/)
    if (text[at] !== '"') break
    const keyEnd = stringEnd(text, at)
    const key = JSON.parse(text.slice(at, keyEnd)) as string
    const start = skip(text, skip(text, keyEnd, /\s/) + 1, /\s/)
    at = valueEnd(text, start)
    const lines = text.slice(0, start).split('\n')
    const column = lines.at(-1)!.length + 1
    places.set(key, { line: lines.length, column, token: text.slice(start, at) })
  }
  return places
}

function skip(text: string, from: number, what: RegExp): number {
  let at = from
  while (at < text.length && what.test(text[at]!)) at++
  return at
}

function stringEnd(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function valueEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; ) {
    const char = text[at]!
    if (char === '"') {
      at = stringEnd(text, at)
      if (depth === 0) return at
      continue
    }
    if (depth === 0 && at > from && /[\s,}\]]/.test(char)) return at
    if (char === '{' || char === '[') depth++
    if (char === '}' || char === ']') {
      depth--
      if (depth === 0) return at + 1
    }
    at++
  }
  return text.length
}
