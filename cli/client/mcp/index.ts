import {
  type CallToolResult,
  type InputRequiredResult,
  McpServer,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { ApiError, type Ergon } from '../../../sdk/index.ts'
import { VERSION } from '../../version.ts'
import { readArguments, sunOf, words } from '../arguments.ts'
import { connect } from '../connection.ts'
import { trx } from '../output.ts'
import { webUrlOf } from '../web.ts'
import { answer, failure } from './answer.ts'
import { BuyArguments, createBuying } from './buying.ts'
import { createDocsSearch } from './searchDocs.ts'

const INSTRUCTIONS =
  'Energy pays for transfers of USDT on TRON. Ergon delegates Energy to an address for one hour, against a prepaid balance in TRX. Amounts in *_sun are millionths of a TRX.'
const READS = { readOnlyHint: true, openWorldHint: true } as const
const BUYS = { readOnlyHint: false, destructiveHint: true, openWorldHint: true } as const
const ORDERS_MAX = 100

/** Serves a language model over standard input and output until the input ends. Nothing else is printed. */
export async function mcp(args: string[]): Promise<number> {
  const options = { spend: { type: 'string' }, web: { type: 'string' } } as const
  const { values, positionals } = readArguments(args, options)
  words(positionals)
  const place = connect(values)
  const limit = values.spend === undefined ? undefined : sunOf(values.spend, '--spend')
  const search = createDocsSearch(webUrlOf(place, values.web))
  serveStdio(() => createServer(place.ergon, search, limit))
  // A file that has ended is not closed.
  await new Promise((resolve) => process.stdin.once('end', resolve).once('close', resolve))
  return 0
}

type Search = ReturnType<typeof createDocsSearch>
type Result = CallToolResult | InputRequiredResult

function createServer(ergon: Ergon, search: Search, limit: bigint | undefined): McpServer {
  const server = new McpServer({ name: 'ergon', version: VERSION }, { instructions: INSTRUCTIONS })
  const energy = BuyArguments.shape.resource_amount

  server.registerTool(
    'estimate',
    {
      title: 'Price of Energy',
      description: 'What an amount of Energy costs now, and the smallest and largest order.',
      inputSchema: z.object({ resource_amount: energy }),
      annotations: READS,
    },
    (wanted) => told(async () => answer(await ergon.estimate(wanted))),
  )
  server.registerTool(
    'balance',
    {
      title: 'Balance',
      description: 'Balance, what of it can be spent, and the address to send TRX to.',
      annotations: READS,
    },
    () => told(async () => answer(await ergon.account())),
  )
  server.registerTool(
    'orders',
    {
      title: 'Orders',
      description: 'The newest orders, for one address if it is given.',
      inputSchema: z.object({
        receiver_address: z.string().optional(),
        limit: z.int().min(1).max(ORDERS_MAX).default(20),
      }),
      annotations: READS,
    },
    ({ limit: most, receiver_address }) =>
      told(async () => {
        const filter = receiver_address === undefined ? {} : { receiver_address }
        return answer(await ergon.orders({ ...filter, page_size: most }).take(most))
      }),
  )
  server.registerTool(
    'order',
    {
      title: 'One order',
      description: 'State of an order, and the transactions that delegated its Energy.',
      inputSchema: z.object({ order_id: z.string() }),
      annotations: READS,
    },
    ({ order_id }) => told(async () => answer(await ergon.order(order_id))),
  )
  server.registerTool(
    'diagnose_transfer',
    {
      title: 'Why a transfer failed',
      description:
        'Why a transaction on TRON failed or burned TRX, and what Energy would have cost.',
      inputSchema: z.object({ txid: z.string() }),
      annotations: READS,
    },
    ({ txid }) => told(async () => answer(await ergon.public.transfer(txid))),
  )
  server.registerTool(
    'search_docs',
    {
      title: 'Search the documentation',
      description:
        'Parts of the documentation that have all words: guide, reference, refusals, events.',
      inputSchema: z.object({ query: z.string().min(2) }),
      annotations: READS,
    },
    ({ query }) => told(async () => answer(await search(query))),
  )
  if (limit === undefined) return server
  // Undefined in the protocol of 2026, where the question is an answer that any program can read.
  const canAsk = () => {
    const abilities = server.server.getClientCapabilities()
    return abilities === undefined || abilities.elicitation !== undefined
  }
  const buy = createBuying(ergon, { limit, canAsk })
  server.registerTool(
    'buy',
    {
      title: 'Buy Energy',
      description: `Buys Energy for an address, for one hour; the price is deducted from the balance at once. Up to ${trx(limit)} in this session without a question; above that a person is asked.`,
      inputSchema: BuyArguments,
      annotations: BUYS,
    },
    (wanted, ctx) => told(() => buy(wanted, ctx)),
  )
  return server
}

/** A refusal of the service is an answer to the model, with its code; the session goes on. */
async function told(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) return failure(`${error.message} (${error.code})`)
    return failure(error instanceof Error ? error.message : String(error))
  }
}
