import type { Account } from './stray.ts'

export type StandingRow = Account & {
  address: string
  wanted: bigint
  available: bigint | null
  measuredAt: Date | null
  /** Block of the first delegation of the current or last stay of our Energy. */
  sinceBlock: bigint | null
  /** The last block that holds a reclaim. */
  reclaimedBlock: bigint | null
  /** Stake of ours that is delegated to the address. */
  stake: bigint
  underWay: boolean
  /** Nothing has happened to the address since it was claimed for a reading. */
  claimed: boolean
  strayed: bigint
}

export const STANDING = `
  select s.address, s.wanted, s.available, s.measured_at as "measuredAt",
         (select min(m.block_number) from delivery.standing_move m
           where m.address = s.address and m.kind = 'delegate'
             and m.block_number > coalesce((select max(e.block_number) from delivery.standing_move e
                                             where e.address = s.address and e.kind = 'reclaim' and e.empties
                                               and e.block_number < (select max(d.block_number)
                                                                       from delivery.standing_move d
                                                                      where d.address = s.address
                                                                        and d.kind = 'delegate')), -1)
         ) as "sinceBlock",
         (select max(m.block_number) from delivery.standing_move m
           where m.address = s.address and m.kind = 'reclaim') as "reclaimedBlock",
         (select coalesce(sum(case m.kind when 'delegate' then m.stake_sun else -m.stake_sun end), 0)::bigint
            from delivery.standing_move m where m.address = s.address and m.state = 'done') as stake,
         exists (select from delivery.standing_move m
                  where m.address = s.address and m.state in ('sent', 'orphaned')) as "underWay",
         s.looked_at is not null as claimed, s.used, s.used_at as "usedAt", s.explained,
         s.paid_for as "paidFor",
         s.explained_at as "explainedAt", s.strayed, s.suspect_used as "suspectUsed", s.suspect_at as "suspectAt",
         s.suspect_block as "suspectBlock", s.began_block as "beganBlock", s.judged, s.judged_block as "judgedBlock",
         s.judged_at as "judgedAt"
    from delivery.standing s`
