import { statement } from '../../db/index.ts'
import { STANDING, type StandingRow } from './store.ts'

export const wantStanding = statement(
  'delivery.wantStanding',
  `
  insert into delivery.standing as s (address, wanted, look, strayed) values ($1, $2, true, $3)
  on conflict (address) do update
    set wanted = excluded.wanted, available = null, measured_at = null, look = true, looked_at = null,
        used = null, used_at = null, explained = 0, paid_for = 0, explained_at = null,
        strayed = excluded.strayed,
        suspect_used = null, suspect_at = null, suspect_block = null,
        began_block = null, judged = 0, judged_block = null, judged_at = null
`,
)

export const releaseStanding = statement(
  'delivery.releaseStanding',
  `
  update delivery.standing set wanted = 0, look = true, looked_at = null where address = $1
`,
)

export const readStanding = statement<StandingRow>(
  'delivery.readStanding',
  `
  ${STANDING} where s.address = $1
`,
)

/** `isFirst`: its use is not counted yet. */
export type Claimed = { address: string; wanted: bigint; isFirst: boolean }

/**
 * Leases addresses that are due for a reading. An address with an open move waits for its end; an
 * address without events is due again when its reading is old.
 */
export const claimStanding = statement<Claimed>(
  'delivery.claimStanding',
  `
  update delivery.standing s set looked_at = clock_timestamp()
   where s.address in (
     select c.address from delivery.standing c
      where (c.look or (c.wanted > 0 and c.measured_at < $1))
        and (c.looked_at is null or c.looked_at < clock_timestamp() - make_interval(secs => $2 / 1000.0))
        and not exists (select from delivery.standing_move m
                         where m.address = c.address and m.state in ('sent', 'orphaned'))
        and c.address <> all ($4::text[])
      order by c.look desc, c.measured_at nulls first, c.address
      limit $3
        for no key update skip locked)
  returning s.address, s.wanted, s.used is null as "isFirst"
`,
)

/** Records calls of the address: they explain this much use, and a new reading is due. */
export const recordCalls = statement(
  'delivery.recordCalls',
  `
  update delivery.standing s set look = true, looked_at = null, explained = s.explained + g.energy,
         paid_for = s.paid_for + g.paid_for,
         explained_at = case when g.energy > 0 then $3 else s.explained_at end
    from (select c.address, sum(c.energy)::bigint as energy, sum(least(c.energy, $4))::bigint as paid_for
            from unnest($1::text[], $2::bigint[]) as c(address, energy) group by c.address) g
   where s.address = g.address
     and s.address in (select address from delivery.standing where address = any ($1)
                        order by address for no key update)
`,
)

/** Addresses that are to keep Energy although others use it. */
export const astray = statement<{ address: string }>(
  'delivery.astray',
  `
  select address from delivery.standing where strayed > $1 and wanted > 0 order by address limit $2
`,
)

/** Records moves of a block; their addresses, and those that called a contract, are due for a reading. */
export const recordMoves = statement<{ address: string; txid: string }>(
  'delivery.recordMoves',
  `
  update delivery.standing_move set state = 'done', block_number = $2
   where txid in (select txid from delivery.standing_move where txid = any ($1) order by txid for update)
  returning address, txid
`,
)

/** Marks moves of an orphaned block: they may return to the chain while another move is pending. */
export const orphanMoves = statement<{ address: string }>(
  'delivery.orphanMoves',
  `
  update delivery.standing_move set state = 'orphaned', block_number = null
   where txid in (select txid from delivery.standing_move where block_number = $1 order by txid for update)
  returning address
`,
)

export const lookAt = statement(
  'delivery.lookAt',
  `
  update delivery.standing set look = true, looked_at = null
   where address in (select address from delivery.standing where address = any ($1)
                      order by address for no key update)
`,
)

export type OpenMove = { txid: string; address: string; signingRequest: string; expiresAt: Date }

export const openMoves = statement<OpenMove>(
  'delivery.openMoves',
  `
  select txid, address, signing_request as "signingRequest", expires_at as "expiresAt"
    from delivery.standing_move where state in ('sent', 'orphaned') and txid <> all ($2::text[]) order by expires_at, txid limit $1
`,
)

/** Ends a move unless a block holds it. */
export const endMove = statement<{ address: string }>(
  'delivery.endMove',
  `
  update delivery.standing_move set state = 'dead' where txid = $1 and state in ('sent', 'orphaned') returning address
`,
)
