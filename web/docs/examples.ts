import { readFileSync } from 'node:fs'
import type { Route } from '@ergon/contract'
import { type Asked, type Call, EXAMPLES, isKeyed, snippetsOf } from './snippets.ts'

type Example = Asked & { response: unknown }

const recorded: Record<string, Example> = JSON.parse(readFileSync(EXAMPLES, 'utf8'))

/** The call in three languages and its answer; nothing for calls that were not recorded. */
export function exampleOf(route: Route, base: string): string {
  const example = recorded[route.name]
  if (!example) return ''
  const { curl, typescript, python } = snippetsOf(route, example)
  const answer = example.response
    ? `\n\`\`\`json\n${JSON.stringify(example.response, null, 2)}\n\`\`\`\n`
    : ''
  const { response: _seen, ...asked } = example
  const { method, path } = route
  const call: Call = { method, path: base + path, isKeyed: isKeyed(route), ...asked }
  return `\`\`\`sh curl
${curl}
\`\`\`

\`\`\`ts TypeScript
${typescript}
\`\`\`

\`\`\`python Python
${python}
\`\`\`

\`\`\`try
${JSON.stringify(call)}
\`\`\`
${answer}
`
}
