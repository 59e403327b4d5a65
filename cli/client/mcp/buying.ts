import { randomUUID } from 'node:crypto'
import {
  acceptedContent,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Ergon } from '../../../sdk/index.ts'
import { count, trx } from '../output.ts'
import { isRefusal } from '../refusal.ts'
import { answer, failure } from './answer.ts'
import { createSpending } from './spending.ts'

export const BuyArguments = z.object({
  receiver_address: z.string().describe('The TRON address that gets the Energy.'),
  resource_amount: z.int().positive().describe('Energy; a transfer of USDT needs about 65000.'),
  idempotency_key: z
    .string()
    .optional()
    .describe('Of a purchase whose outcome is unknown: it is bought at most once.'),
})

type Result = CallToolResult | InputRequiredResult
type Wanted = z.infer<typeof BuyArguments>

const Confirmation = z.object({
  confirm: z.boolean().describe('Buy it although the spending limit is reached'),
})

/** Refusals before the key is looked at: an attempt whose answer was lost may have bought. */
const AFTER_A_LOST_ANSWER = [401, 409, 429]

/**
 * Buys within the limit; above it a person is asked. The price that was compared with the limit, or shown to
 * the person, is the highest that is paid: it goes with the purchase as `max_price_sun`.
 */
export function createBuying(
  ergon: Ergon,
  { limit, canAsk }: { limit: bigint; canAsk(): boolean },
) {
  const spending = createSpending(limit)
  /** Prices shown to a person; each question is good for one purchase. */
  const asked = new Map<string, bigint>()

  function ask(wanted: Wanted, price: bigint): InputRequiredResult {
    asked.set(nameOf(wanted), price)
    const { resource_amount, receiver_address } = wanted
    const what = `${count(resource_amount)} Energy for ${receiver_address}`
    const left = `Of this session's limit ${trx(spending.left())} is left.`
    const message = `Buy ${what}, at most ${trx(price)}? ${left}`
    const confirm = inputRequired.elicit({ message, requestedSchema: Confirmation })
    return inputRequired({ inputRequests: { confirm } })
  }

  /** The highest price to pay, or what to answer instead of buying. */
  async function agree(wanted: Wanted, key: string, ctx: ServerContext): Promise<bigint | Result> {
    const { total_price_sun } = await ergon.estimate(wanted)
    const held = spending.hold(key, wanted, total_price_sun)
    if (typeof held === 'string') return failure(`Not bought: ${held}`)
    if (held !== undefined) return held
    const { inputResponses } = ctx.mcpReq
    const shown = asked.get(nameOf(wanted))
    asked.delete(nameOf(wanted))
    if (!canAsk()) {
      return failure(
        `Not bought: it costs ${trx(total_price_sun)}, and ${trx(spending.left())} is left of this session's limit. This program cannot ask a person; a person can start ergon mcp with a higher --spend.`,
      )
    }
    // An answer to a question that was not asked is no answer.
    if (shown === undefined || inputResponses === undefined) return ask(wanted, total_price_sun)
    if (!acceptedContent(inputResponses, 'confirm', Confirmation)?.confirm) {
      return failure('Not bought: nobody has agreed to spend more than the limit.')
    }
    spending.allow(key, wanted, shown)
    return shown
  }

  return async (wanted: Wanted, ctx: ServerContext): Promise<Result> => {
    const { idempotency_key: idempotencyKey = randomUUID(), ...purchase } = wanted
    const price = await agree(wanted, idempotencyKey, ctx)
    if (typeof price !== 'bigint') return price
    try {
      const bought = await ergon.buy({ ...purchase, max_price_sun: price }, { idempotencyKey })
      spending.ended(idempotencyKey, false)
      return answer({ ...bought, session_limit_left_sun: spending.left() })
    } catch (error) {
      const isCertain = isRefusal(error) && !AFTER_A_LOST_ANSWER.includes(error.status)
      spending.ended(idempotencyKey, isCertain)
      if (isCertain) throw error
      const why = error instanceof Error ? error.message : String(error)
      return failure(
        `It is unknown whether this was bought (${why}). Ask again with idempotency_key ${idempotencyKey}: it buys at most once.`,
      )
    }
  }
}

const nameOf = ({ receiver_address, resource_amount }: Wanted) =>
  `${resource_amount} ${receiver_address}`
