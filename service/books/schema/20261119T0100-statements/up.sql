-- What marketplaces say that they charged, compared with what we booked.

-- Where each marketplace's comparison stands.
create table books.statement_source (
  provider text primary key,
  -- orders: its API lists orders or movements; balance: it tells a balance alone; none: it cannot be compared.
  way text not null check (way in ('orders', 'balance', 'none')),
  -- Business time: since when we know it, and when it is compared next.
  known_since timestamptz not null,
  due_at timestamptz not null,
  -- By the database's clock: until when a worker is at it, and in which round.
  leased_until timestamptz,
  leased_by uuid,
  -- A reading that is under way, in wall time: since when, the next page, and how many were read.
  began_at timestamptz,
  page text,
  pages bigint not null default 0,
  -- By the marketplace's clock, which is wall time: all before it has been read.
  read_upto timestamptz,
  -- The oldest attempt that was not over at the last comparison: its cost may be booked later.
  open_since timestamptz,
  -- The last comparison that succeeded, in business time, and why the later ones did not.
  compared_at timestamptz,
  trouble text,
  failures bigint not null default 0,
  -- For balances: the balance at an earlier time, the newest, and what differed until the earlier one.
  anchor_at timestamptz,
  anchor_sun bigint,
  balance_sun bigint,
  carried_sun bigint not null default 0,
  constraint page_of_a_reading check (began_at is not null or page is null and pages = 0),
  constraint anchor_in_full check (
    (anchor_at is null) = (anchor_sun is null) and (anchor_at is null) = (balance_sun is null))
);

-- Each charge and each refund that a marketplace has shown us, as it showed it last.
create table books.statement_row (
  provider text not null,
  entry_id text not null,
  order_id text not null,
  -- Ours, where the marketplace keeps it.
  reference text,
  -- A refund is negative.
  amount_sun bigint not null,
  at timestamptz not null,
  receiver text,
  energy bigint,
  attempt_id uuid,
  matched_by text check (matched_by in ('reference', 'order', 'likeness')),
  -- Whom it is compared under: our attempt, or an order that we do not know.
  subject text not null generated always as (coalesce(attempt_id::text, order_id)) stored,
  read_at timestamptz not null,
  primary key (provider, entry_id),
  constraint matched_in_full check ((attempt_id is null) = (matched_by is null))
);
create index statement_row_by_time on books.statement_row (at, provider);
create index statement_row_by_subject on books.statement_row (provider, subject);

create table books.statement_day (
  provider text not null,
  day date not null,
  theirs_sun bigint not null,
  ours_sun bigint not null,
  matched bigint not null check (matched >= 0),
  compared_at timestamptz not null,
  primary key (provider, day)
);

create table books.statement_difference (
  id uuid primary key,
  provider text not null,
  subject text not null,
  day date not null,
  kind text not null check (kind in
    ('never_asked', 'other_amount', 'not_charged', 'charged_twice', 'refunded', 'balance')),
  order_id text,
  attempt_id uuid,
  theirs_sun bigint not null,
  -- With what was decided before.
  ours_sun bigint not null,
  state text not null default 'open' check (state in ('open', 'claimed', 'accepted', 'dismissed', 'closed')),
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  decided_by text,
  why text,
  decided_at timestamptz,
  -- Why it closed itself.
  note text,
  -- What a decision has settled: it is no difference any more, booked or not.
  settled_sun bigint not null default 0,
  constraint decided_by_somebody check (
    (state in ('claimed', 'accepted', 'dismissed')) <= (decided_by is not null and why is not null and decided_at is not null)),
  constraint settled_by_a_decision check (
    settled_sun = case when state in ('accepted', 'dismissed') then theirs_sun - ours_sun else 0 end)
);
create unique index one_open_difference_per_subject on books.statement_difference (provider, subject)
  where state in ('open', 'claimed');
create index statement_difference_settled on books.statement_difference (provider, subject)
  where state in ('accepted', 'dismissed');
create index statement_difference_by_time on books.statement_difference (first_seen_at);

grant select, insert, update on books.statement_source, books.statement_day, books.statement_difference to ergon_app;
grant select, insert, update, delete on books.statement_row to ergon_app;
