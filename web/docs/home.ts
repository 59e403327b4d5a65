import { routes, sandboxRoutes } from '@ergon/contract'
import type { Source } from './page.ts'
import { addressOf } from './reference.ts'

/** The first page: where to begin, and every call with a link. */
export function homePage(): Source {
  const calls = (list: typeof routes, base: string) =>
    [...Map.groupBy(list, ({ group }) => group)].map(([group, members]) => {
      const rows = members.map(
        (route) =>
          `| [${route.method} ${base}${route.path}](${addressOf(route)}) | ${route.summary} |`,
      )
      return `### ${group}\n\n| Call | Does |\n|---|---|\n${rows.join('\n')}\n`
    })
  const open = routes.filter(({ auth }) => auth !== 'session')
  const text = `# Ergon documentation

Ergon sells TRON Energy by the hour: keep a prepaid balance in TRX, ask for a price, buy Energy for an address, and follow the
order until the delegation is on the chain.

| You want to | Read |
|---|---|
| buy for the first time, in five minutes | [First purchase](/docs/guide/start) |
| call it from a program | [The SDK](/docs/guide/sdk), [openapi.json](/openapi.json) |
| learn of orders and deposits at once | [Webhooks](/docs/guide/webhooks), [all events](/docs/events) |
| cover the transfers of an address | [AutoEnergy](/docs/guide/autoenergy) |
| sell Energy to your customers | [The agent program](/docs/guide/agent) |
| see a whole integration | [an exchange](/docs/guide/recipe-exchange), [a wallet](/docs/guide/recipe-wallet), [a gateway](/docs/guide/recipe-gateway), [a shop](/docs/guide/recipe-shop), [a bot](/docs/guide/recipe-bot) |
| understand a refusal | [Errors](/docs/guide/errors), [all refusals](/docs/errors) |
| try everything without money | [The sandbox](/docs/guide/sandbox) |

## Every call

${[...calls(open, '/v1'), ...calls(sandboxRoutes, '/sandbox')].join('\n')}`
  return { path: '', text }
}
