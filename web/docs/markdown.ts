import { escaped } from '../shared/html.ts'
import { highlighted } from './highlight.ts'

/** Turns the Markdown that our own pages use into HTML: no raw HTML passes, everything is escaped. */
export type Heading = { id: string; words: string; level: number }
export type Rendered = { title: string; html: string; headings: Heading[] }
export type LinkOf = (target: string) => string | undefined

/** A fence may have a name, such as ```sh curl: named ones that follow each other are alternatives. */
const FENCE = /^```(\w*)(?: (\S.*))?$/
/** A heading may name its anchor: ## Words {#anchor} */
const HEADING = /^(#{1,4}) (.+?)(?: \{#([\w.-]+)\})?$/
const ITEM = /^(?:[-*]|\d+\.) +(.*)$/
const TABLE_RULE = /^\|(?: *:?-+:? *\|)+ *$/

export function renderMarkdown(text: string, linkOf: LinkOf): Rendered {
  const lines = text.split('\n')
  const html: string[] = []
  const headings: Heading[] = []
  let title = ''
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!
    const heading = HEADING.exec(line)
    if (line.trim() === '') at += 1
    else if (heading) {
      const [, marks = '', words = '', id = slugOf(words)] = heading
      if (marks.length === 1) title ||= words
      const level = `h${marks.length}`
      headings.push({ id, words: words.replaceAll('`', ''), level: marks.length })
      html.push(`<${level} id="${id}">${inline(words, linkOf)}</${level}>`)
      at += 1
    } else if (isNamed(line)) {
      const { end, alternatives } = namedBlocks(lines, at)
      html.push(tabs(alternatives))
      at = end
    } else {
      const end = blockEnd(lines, at)
      html.push(block(lines.slice(at, end), linkOf))
      at = end
    }
  }
  return { title, html: html.join('\n'), headings }
}

/** A fence ends with its twin; everything else with an empty line, a heading or a fence. */
function blockEnd(lines: string[], start: number): number {
  if (FENCE.test(lines[start]!)) {
    const close = lines.findIndex((line, at) => at > start && line === '```')
    return close < 0 ? lines.length : close + 1
  }
  const isItem = ITEM.test(lines[start]!)
  let end = start + 1
  for (; end < lines.length; end++) {
    const line = lines[end]!
    if (line.trim() === '' || HEADING.test(line) || FENCE.test(line)) break
    if (line.startsWith('|') !== lines[start]!.startsWith('|')) break
    if (!isItem && ITEM.test(line)) break
  }
  return end
}

function block(lines: string[], linkOf: LinkOf): string {
  const [first = '', second = ''] = lines
  if (FENCE.test(first)) {
    const code = lines.slice(1, lines.at(-1) === '```' ? -1 : undefined).join('\n')
    const language = FENCE.exec(first)![1]!
    return language === 'try' ? tryBlock(code) : codeBlock(code, language)
  }
  if (first.startsWith('|') && TABLE_RULE.test(second)) return table(lines, linkOf)
  if (ITEM.test(first)) return list(lines, linkOf)
  return `<p>${inline(lines.join('\n'), linkOf)}</p>`
}

type Named = { name: string; language: string; code: string }

const isNamed = (line: string) => FENCE.exec(line)?.[2] !== undefined

/** Blocks with a name that follow each other, with empty lines between them. */
function namedBlocks(lines: string[], start: number): { end: number; alternatives: Named[] } {
  const alternatives: Named[] = []
  let end = start
  for (let at = start; at < lines.length && isNamed(lines[at]!); ) {
    const [, language = '', name = ''] = FENCE.exec(lines[at]!)!
    end = blockEnd(lines, at)
    alternatives.push({ name, language, code: lines.slice(at + 1, end - 1).join('\n') })
    at = end
    while (lines[at]?.trim() === '') at += 1
  }
  return { end, alternatives }
}

/** Without the script all are shown, one below the other, each with its name. */
function tabs(alternatives: Named[]): string {
  const panels = alternatives.map(
    ({ name, language, code }) =>
      `<div class="tab" data-name="${escaped(name)}"><p class="name">${escaped(name)}</p>${codeBlock(code, language)}</div>`,
  )
  return `<div class="tabs">${panels.join('')}</div>`
}

function codeBlock(code: string, language: string): string {
  return `<div class="code"><pre tabindex="0"><code>${highlighted(code, language)}</code></pre></div>`
}

/** A call that the page's script can send. */
function tryBlock(call: string): string {
  return `<div class="try" data-call="${escaped(call)}"></div>`
}

function list(lines: string[], linkOf: LinkOf): string {
  const items: string[] = []
  for (const line of lines) {
    const [, words] = ITEM.exec(line) ?? []
    if (words === undefined) items.push(`${items.pop()}\n${line.trim()}`)
    else items.push(words)
  }
  const kind = /^\d/.test(lines[0]!) ? 'ol' : 'ul'
  return `<${kind}>${items.map((item) => `<li>${inline(item, linkOf)}</li>`).join('')}</${kind}>`
}

function table([head = '', , ...rows]: string[], linkOf: LinkOf): string {
  const row = (line: string, cell: 'th' | 'td') =>
    `<tr>${cellsOf(line)
      .map((text) => `<${cell}>${inline(text, linkOf)}</${cell}>`)
      .join('')}</tr>`
  const body = rows.map((line) => row(line, 'td')).join('')
  return `<div class="table" tabindex="0"><table><thead>${row(head, 'th')}</thead><tbody>${body}</tbody></table></div>`
}

/** A bar inside a cell is written \| */
function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** A link, whose label may have code in it, or code: what stands in that is nothing else. */
const PIECE = /(!?\[(?:`[^`]+`|[^\]`])+\]\([^)\s]+\)|`[^`]+`)/
const LINK = /^(!?)\[(.+)\]\(([^)\s]+)\)$/

function inline(text: string, linkOf: LinkOf): string {
  const pieces = text.split(PIECE)
  return pieces
    .map((piece) => {
      if (/^`[^`]+`$/.test(piece)) return `<code>${escaped(piece.slice(1, -1))}</code>`
      const link = LINK.exec(piece)
      return link ? linkTo(link, linkOf) : bold(escaped(piece))
    })
    .join('')
}

function linkTo([, mark, label = '', target = '']: RegExpExecArray, linkOf: LinkOf): string {
  const href = linkOf(target)
  if (mark === '!' && href !== undefined)
    return `<img src="${escaped(href)}" alt="${escaped(label)}">`
  const words = inline(label, linkOf)
  return href === undefined ? words : `<a href="${escaped(href)}">${words}</a>`
}

const bold = (html: string) => html.replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')

function slugOf(words: string): string {
  return words
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}
