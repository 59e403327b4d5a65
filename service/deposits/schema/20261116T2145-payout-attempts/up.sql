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

-- What was asked for stays what it was, and an end is an end: a payout that is paid is never approved again.
create function deposits.keep_payout() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception 'payout % cannot become that', old.id using errcode = 'check_violation';
end $$;
create trigger keep_payout before update on deposits.payout for each row
  when (old.state in ('paid', 'cancelled')
        or (old.id, old.account_id, old.to_address, old.amount_sun, old.requested_by)
           is distinct from (new.id, new.account_id, new.to_address, new.amount_sun, new.requested_by)
        or new.attempt < old.attempt)
  execute function deposits.keep_payout();
