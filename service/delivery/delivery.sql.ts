import { statement } from '../db/index.ts'
import { OPEN } from './market/store.ts'

/** The earliest time at which some of the Energy may be reclaimed. */
export const earliestEnd = statement<{ at: Date | null }>(
  'delivery.earliestEnd',
  `
  select min(d.delegated_at + make_interval(secs => r.duration_seconds)) as at
    from delivery.delegation d
    join delivery.attempt a on a.id = d.attempt_id
    join delivery.part p on p.id = a.part_id
    join delivery.request r on r.id = p.request_id
   where d.txid = any ($1)
`,
)

/** Which of these transactions are delegations and reclaims that we asked for. */
export const knownMoves = statement<{ txid: string }>(
  'delivery.knownMoves',
  `
  select g.txid from unnest($1::text[]) as g(txid)
   where exists (select from delivery.attempt a where a.txid = g.txid)
      or exists (select from delivery.delegation d where d.reclaim_txid = g.txid)
      or exists (select from delivery.standing_move m where m.txid = g.txid)
`,
)

export const stopWatching = statement(
  'delivery.stopWatching',
  `
  update delivery.attempt set receiver_address = null
   where receiver_address is not null and created_at < $1 and state not in ${OPEN}
`,
)
