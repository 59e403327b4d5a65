import {
  faultsBody,
  INVALID_REQUEST,
  type RefusalCode,
  type Route,
  refusalBody,
  refusalHelp,
  refusals,
  refuse,
  wireCode,
} from '@ergon/contract'
import type { Source } from './page.ts'
import { addressOf } from './reference.ts'

type Entry = {
  status: number
  shape: string
  when: string
  text?: string
  extra?: readonly string[]
}

const KEYED: RefusalCode[] = [
  'api_key_required',
  'invalid_api_key',
  'user_not_found',
  'rate_limited',
]

/** The list of all refusals, then one page for each, which its `doc_url` leads to. */
export function errorPages(routes: readonly Route[]): Source[] {
  const codes = Object.keys(refusals) as RefusalCode[]
  return [listOf(codes), ...codes.map((code) => pageOf(code, routes)), invalidRequest()]
}

function listOf(codes: RefusalCode[]): Source {
  const rows = codes.map((code) => {
    const { status, when } = refusals[code]
    return `| ${status} | [\`${code}\`](/docs/errors/${code}) | ${when} |`
  })
  const text = `# All refusals

How to read them is in [the guide](/docs/guide/errors). Every refusal has a \`doc_url\`, which leads to its page here.

| Status | Code | When |
|---|---|---|
${rows.join('\n')}
| 422 | [\`${INVALID_REQUEST}\`](/docs/errors/${INVALID_REQUEST}) | A field is missing or wrong. |
`
  return { path: 'errors', text }
}

function pageOf(code: RefusalCode, routes: readonly Route[]): Source {
  const { status, shape, when, text: sentence, extra = [] }: Entry = refusals[code]
  const { next } = refusalHelp[code]
  const sample = Object.fromEntries(extra.flatMap(sampleOf))
  const body = JSON.stringify(JSON.parse(refusalBody(refuse(code, sample))), null, 2)
  const where = {
    text: `\`detail\` is the sentence \`${sentence}\`, which never changes.`,
    error: `The code is in \`detail.error\`.`,
    code: 'The code is in `detail.code`.',
    twice: 'The code is in `error` and in `detail.error`.',
  }[shape]
  const text = `# ${wireCode(code)}

Status ${status}. ${where}

## What it means

${when}

## What to do

${next}

## The answer

\`\`\`json
${body}
\`\`\`

## Where it comes from

${callsOf(code, routes)}
`
  return { path: `errors/${code}`, text }
}

const sampleOf = (name: string): [string, string | number][] => {
  if (name === 'message') return []
  if (name === 'min') return [[name, 32_000]]
  if (name === 'max') return [[name, 5_000_000]]
  return [[name, name.endsWith('_trx') ? '0' : 1_950_000]]
}

function callsOf(code: RefusalCode, routes: readonly Route[]): string {
  if (KEYED.includes(code)) return 'Every call that needs a key.'
  const calls = routes.filter((route) => route.auth !== 'session' && route.refusals.includes(code))
  if (calls.length === 0) return 'Any call, or a page of the workspace.'
  const links = calls.map((route) => `- [${route.method} /v1${route.path}](${addressOf(route)})`)
  return links.join('\n')
}

function invalidRequest(): Source {
  const faults = [{ loc: ['body', 'resource_amount'], msg: 'Must be an integer', type: 'int_type' }]
  const body = JSON.stringify(JSON.parse(faultsBody(faults)), null, 2)
  const text = `# ${INVALID_REQUEST}

Status 422. \`detail\` is a list with every fault of the request; the code has no place in it, the SDK names it so.

## What it means

A field is missing, has the wrong type or is outside its bounds. \`loc\` says where, \`msg\` what would be right,
\`type\` is a word for programs.

## What to do

Correct the request, then send it again. Nothing was charged.

## The answer

\`\`\`json
${body}
\`\`\`

## Where it comes from

Every call that takes a body, a query or headers.
`
  return { path: `errors/${INVALID_REQUEST}`, text }
}
