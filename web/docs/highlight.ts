import { escaped } from '../shared/html.ts'

/** Kinds of tokens and the classes that the style sheet colours. The first pattern that fits wins. */
type Rules = readonly (readonly [kind: string, pattern: RegExp])[]

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/
const NUMBER = /\b\d[\d_]*(?:\.\d+)?n?\b/
const words = (list: string) => new RegExp(`\\b(?:${list.replaceAll(' ', '|')})\\b`)

const SCRIPT: Rules = [
  ['comment', /\/\/[^\n]*/],
  ['string', new RegExp(`${STRING.source}|\`[^\`]*\``)],
  [
    'keyword',
    words(
      'import from export const let function async await new return if else for of in try catch throw typeof null true false undefined',
    ),
  ],
  ['number', NUMBER],
]
const LANGUAGES: Record<string, Rules> = {
  js: SCRIPT,
  ts: SCRIPT,
  python: [
    ['comment', /#[^\n]*/],
    ['string', new RegExp(`[bf]?(?:${STRING.source})`)],
    [
      'keyword',
      words(
        'import from as def return with for in if elif else not and or raise try except None True False print',
      ),
    ],
    ['number', NUMBER],
  ],
  sh: [
    ['comment', /(?<=^|\s)#[^\n]*/m],
    ['string', STRING],
    ['field', /\$\w+|\$\{\w+\}/],
    ['keyword', /(?<=^|\$\(|\| )(?:curl|npx|npm|node|python3|export|openssl)\b/m],
  ],
  json: [
    ['field', /"(?:[^"\\]|\\.)*"(?=\s*:)/],
    ['string', STRING],
    ['keyword', words('true false null')],
    ['number', /-?\b\d+(?:\.\d+)?\b/],
  ],
}

/** Code as HTML with its tokens in spans; a language that is not known stays plain. */
export function highlighted(code: string, language: string): string {
  const rules = LANGUAGES[language]
  if (!rules) return escaped(code)
  const all = new RegExp(rules.map(([, pattern]) => `(${pattern.source})`).join('|'), 'gm')
  let html = ''
  let last = 0
  for (const match of code.matchAll(all)) {
    const rule = rules.findIndex((_rule, at) => match[at + 1] !== undefined)
    html += escaped(code.slice(last, match.index))
    html += `<span class="${rules[rule]![0]}">${escaped(match[0])}</span>`
    last = match.index + match[0].length
  }
  return html + escaped(code.slice(last))
}
