-- A payout is tried again only with approvals that name the next attempt, and not before an hour has
-- passed: at no moment are two of its signatures alive.
alter table deposits.payout add column attempt bigint not null default 1 check (attempt > 0);
alter table deposits.payout add column not_before timestamptz;
alter table deposits.payout add column cancelled_by text;
alter table deposits.payout add column cancelled_at timestamptz;

alter table deposits.payout drop constraint payout_state_check;
alter table deposits.payout add constraint payout_state_check check (
  state in ('requested', 'approved', 'expired', 'cancelling', 'cancelled', 'paid'));
alter table deposits.payout drop constraint approved_has_a_name;
alter table deposits.payout add constraint approved_has_a_name check (
  (approved_by is null) = (approved_at is null)
  and (state <> 'requested' or approved_by is null)
  and (state not in ('approved', 'expired', 'cancelling', 'paid') or approved_by is not null));
alter table deposits.payout add constraint cancelled_has_a_name check (
  (cancelled_by is null) = (cancelled_at is null)
  and (state not in ('cancelling', 'cancelled') or cancelled_by is not null));
alter table deposits.payout add constraint ended_has_no_bytes check (
  state not in ('expired', 'cancelled') or txid is null);

drop index deposits.payout_under_way;
create index payout_under_way on deposits.payout (id) where state in ('approved', 'cancelling');
