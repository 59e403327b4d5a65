import { statement } from '../db/index.ts'

export const insertBroadcast = statement(
  'chain.insertBroadcast',
  `
  insert into chain.broadcast (txid, signed_bytes, expires_at, state)
  select * from unnest($1::text[], $2::bytea[], $3::timestamptz[], array_fill('pending'::text, array[cardinality($1)]))
  on conflict (txid) do nothing
`,
)

export type BroadcastRow = { txid: string; bytes: Buffer }

/**
 * Claims broadcasts that are due, the least recently sent first. Expired bytes, by our clock or by the
 * newest block read, are never sent again. The lease is the time of the last broadcast, by the
 * database's clock.
 */
export const claimBroadcasts = statement<BroadcastRow>(
  'chain.claimBroadcasts',
  `
  update chain.broadcast b
     set last_sent_at = clock_timestamp(), sends = b.sends + 1
   where b.txid in (
     select txid from chain.broadcast
      where state = 'pending'
        and expires_at > greatest($3::timestamptz, (select block_time from chain.cursor))
        and (last_sent_at is null or last_sent_at < clock_timestamp() - make_interval(secs => $1 / 1000.0))
      order by last_sent_at nulls first, expires_at, txid
      limit $2
        for update skip locked)
  returning b.txid, b.signed_bytes as bytes
`,
)

/** Skips locked rows: a scanner holds them because a block has included them. */
export const recordAnswers = statement(
  'chain.recordAnswers',
  `
  update chain.broadcast b set last_answer = g.answer
    from (select w.txid, g.answer
            from unnest($1::text[], $2::text[]) as g(txid, answer)
            join chain.broadcast w on w.txid = g.txid
           where w.state = 'pending'
           order by w.txid
             for update of w skip locked) g
   where b.txid = g.txid
`,
)

export type BroadcastState = {
  txid: string
  state: 'pending' | 'included' | 'expired'
  answer: string | null
  blockNumber: bigint | null
  /** How many times it was sent. */
  sends: bigint
}

export const readBroadcasts = statement<BroadcastState>(
  'chain.readBroadcasts',
  `
  select txid, state, last_answer as answer, block_number as "blockNumber", sends
    from chain.broadcast where txid = any ($1)
`,
)

/** Signed bytes that were sent several times, and that no block holds. */
export const countUnbroadcast = statement<{ count: bigint; soonest: Date | null }>(
  'chain.countUnbroadcast',
  `
  select count(*) as count, min(expires_at) as soonest from chain.broadcast where state = 'pending' and sends > 3
`,
)
