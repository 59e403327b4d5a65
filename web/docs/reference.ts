import {
  type RefusalCode,
  type Route,
  refusals,
  routes,
  sandboxRoutes,
  wireCode,
} from '@ergon/contract'
import { exampleOf } from './examples.ts'
import { fieldTable } from './fields.ts'
import type { Source } from './page.ts'
import { SANDBOX_SETUP, SETUP } from './snippets.ts'

const FREE = 'No key is needed.'

type Mounted = { route: Route; base: string }

/** One page for each group of calls. */
export function referencePages(): Source[] {
  const mounted: Mounted[] = [
    ...routes.map((route) => ({ route, base: '/v1' })),
    ...sandboxRoutes.map((route) => ({ route, base: '/sandbox' })),
  ].filter(({ route }) => route.auth !== 'session')
  return [...Map.groupBy(mounted, ({ route }) => route.group)].map(([group, members]) => ({
    path: `reference/${slugOf(group)}`,
    text: `# ${group}\n\n${introOf(members[0]!.base)}\n\n${ordered(members).map(callText).join('\n')}`,
  }))
}

const METHODS = ['POST', 'GET', 'PATCH', 'DELETE']

/** By path, and what makes a thing before what reads, changes and removes it. */
function ordered(members: Mounted[]): Mounted[] {
  const rank = ({ route }: Mounted) => METHODS.indexOf(route.method)
  return members.toSorted((a, b) => a.route.path.localeCompare(b.route.path) || rank(a) - rank(b))
}

/** Where the call of a route is described. */
export function addressOf({ group, name }: Route): string {
  return `/docs/reference/${slugOf(group)}#${name}`
}

function introOf(base: string): string {
  if (base === '/sandbox') {
    return `Only in the sandbox, and only from its own machine. There is no key; in production these paths do not exist. The
examples were run as they stand, with the sandbox's address in the environment:

\`\`\`sh
${SANDBOX_SETUP}
export SANDBOX
\`\`\``
  }
  return `Amounts in \`*_sun\` are integers, in \`*_trx\` decimal strings. All of it for programs: [openapi.json](/openapi.json). The
examples were run as they stand, with the address and the key of a sandbox in the environment:

\`\`\`sh
${SETUP}
export API KEY
\`\`\``
}

function callText({ route, base }: Mounted): string {
  const { summary, description = '', reply } = route
  const key = base === '/v1' && route.auth === 'public' ? ` ${FREE}` : ''
  const parts = {
    Path: route.params,
    Query: route.query,
    Headers: route.headers,
    Body: route.body,
    [`Answer ${reply.status}`]: reply.schema,
  }
  const tables = Object.entries(parts).map(([title, schema]) =>
    fieldTable(title, schema, `${route.name}-${title.split(' ')[0]!.toLowerCase()}`),
  )
  return `## ${route.method} ${base}${route.path} {#${route.name}}

${summary}.${key} ${description}

${exampleOf(route, base)}${tables.join('')}${refusalTable(route, base)}`
}

function refusalTable({ name, refusals: own, auth, method, query }: Route, base: string): string {
  const keyed: RefusalCode[] =
    base === '/v1' && auth !== 'public' ? ['api_key_required', 'invalid_api_key'] : []
  const codes = [...keyed, ...(base === '/v1' ? (['rate_limited'] as const) : []), ...own]
  const rows = codes.map((code) => {
    const { status, when } = refusals[code]
    return `| ${status} | [\`${wireCode(code)}\`](/docs/errors/${code}) | ${when} |`
  })
  if (method !== 'GET' || query) {
    rows.push(
      '| 422 | [`invalid_request`](/docs/errors/invalid_request) | A field is missing or wrong. |',
    )
  }
  if (rows.length === 0) return ''
  return `### Refusals {#${name}-refusals}\n\n| Status | Code | When |\n|---|---|---|\n${rows.join('\n')}\n`
}

function slugOf(group: string): string {
  return group.toLowerCase().replaceAll(/[^a-z]+/g, '-')
}
