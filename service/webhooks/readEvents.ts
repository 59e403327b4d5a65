import { chosenByDefault, type EventType, type Refusal, refuse } from '@ergon/contract'
import { type Events, FEED_START, type FeedPlace } from '../events/index.ts'
import { openPlace, sealPlace } from '../ledger/index.ts'
import { bodyOf } from './webhook.ts'

/** A page of an account's events: the bodies of their deliveries, and the place after them. */
export type EventPage = { bodies: string[]; hasMore: boolean; next: string }

export type ReadEvents = (
  account: string,
  asked: { limit: number; cursor: string | undefined },
) => Promise<EventPage | Refusal>

const TYPES = Object.keys(chosenByDefault) as EventType[]
const XID_BYTES = 8
const UUID_BYTES = 16
const INVALID = 'cursor is not a next_cursor of this account. Leave it out to start at the oldest.'

/** Goes by transactions, not by time: an event that is committed late has no place before one that was shown. */
export function createReadEvents(deps: {
  events: Events
  cursorSecret(): Promise<Uint8Array>
}): ReadEvents {
  const { events, cursorSecret } = deps
  return async (account, { limit, cursor }) => {
    const secret = await cursorSecret()
    const of = `events.feed ${account}`
    const after = cursor === undefined ? FEED_START : placeOf(secret, of, cursor)
    if (!after) return refuse('invalid_cursor', { message: INVALID })
    const rows = await events.feed(account, { after, types: TYPES, limit: limit + 1 })
    const shown = rows.slice(0, limit)
    return {
      bodies: shown.map(bodyOf),
      hasMore: rows.length > limit,
      next: sealPlace(secret, of, bytesOf(shown.at(-1) ?? after)),
    }
  }
}

function bytesOf({ writtenBy, id }: FeedPlace): Buffer {
  const place = Buffer.alloc(XID_BYTES + UUID_BYTES)
  place.writeBigUInt64BE(BigInt(writtenBy))
  place.write(id.replaceAll('-', ''), XID_BYTES, 'hex')
  return place
}

function placeOf(secret: Uint8Array, of: string, text: string): FeedPlace | undefined {
  const place = openPlace(secret, of, { text, bytes: XID_BYTES + UUID_BYTES })
  if (!place) return undefined
  const id = place.toString('hex', XID_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return { writtenBy: String(place.readBigUInt64BE()), id }
}
