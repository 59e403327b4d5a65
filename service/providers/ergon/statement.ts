import type { Charge, StatementPage } from '../marketplace.ts'
import { type Fields, fieldsOf, textOf, wholeOf } from '../reading.ts'
import { MarketplaceTrouble, needed } from '../trouble.ts'

/** Money that we sent there or took back is no charge. */
const OF_THE_FLOAT = new Set(['deposit', 'deposit_reversal', 'payout', 'payout_reversal'])

/** A page of `GET /transactions`: every movement of our account there that is not of the float itself. */
export function readStatement(name: string, json: unknown): StatementPage {
  const { transactions, has_more, next_cursor } = fieldsOf(json)
  if (!Array.isArray(transactions)) {
    throw new MarketplaceTrouble(name, 'no list of transactions in its answer')
  }
  const entries = transactions.map((entry) => entryOf(name, fieldsOf(entry)))
  const next =
    has_more === true ? needed(name, 'cursor of the next page', textOf(next_cursor)) : null
  return {
    charges: entries.flatMap(({ charge }) => charge ?? []),
    oldest: entries.at(-1)?.at ?? null,
    next,
  }
}

function entryOf(name: string, entry: Fields): { at: Date; charge: Charge | undefined } {
  const entryId = needed(name, 'id of a transaction', textOf(entry.id))
  const signed = needed(name, `amount of transaction ${entryId}`, wholeOf(entry.amount_sun))
  const ms = Date.parse(textOf(entry.created_at) ?? '')
  const at = new Date(needed(name, `time of transaction ${entryId}`, ms || undefined))
  const type = textOf(entry.entry_type) ?? ''
  if (OF_THE_FLOAT.has(type)) return { at, charge: undefined }
  // The credit for Energy that was taken back early is under `order:transaction`.
  const [orderId] = (textOf(entry.reference_id) ?? entryId).split(':')
  return { at, charge: { entryId, orderId: orderId!, amount: -signed, at } }
}
