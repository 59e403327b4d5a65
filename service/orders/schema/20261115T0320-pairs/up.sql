-- For the filter of GET /orders: which (receiver, buyer) pairs an account has bought for, and how
-- often. Folded behind the purchases by a loop; what is not folded yet is scanned by the reader.

-- Orders of the account up to this number are in the tables below.
create table orders.folded (
  account_id uuid primary key references identity.account (id),
  number bigint not null default 0 check (number >= 0)
);

create table orders.pair (
  account_id uuid not null references identity.account (id),
  -- The number of the pair's first order is its name within the account.
  first_number bigint not null,
  receiver_address text not null,
  buyer_address text not null,
  -- What the filter looks in: both addresses in lower case, with a space that no filter contains.
  haystack text not null generated always as (lower(receiver_address) || ' ' || lower(buyer_address)) stored,
  orders bigint not null check (orders > 0),
  primary key (account_id, first_number),
  constraint one_row_per_pair unique (account_id, receiver_address, buyer_address)
) with (fillfactor = 85);

-- A small pending list: a reader has to walk through it, so it must never grow to megabytes.
create index pair_by_part_of_address on orders.pair
  using gin (account_id extensions.uuid_ops, haystack extensions.gin_trgm_ops) with (gin_pending_list_limit = 64);

-- Each order under its pair: `place` is 1, 2, 3 … within the pair, so that "how many up to this
-- number" is one look-up and any page of a filtered list can be found without counting rows.
create table orders.filed_order (
  account_id uuid not null,
  pair bigint not null,
  number bigint not null,
  place bigint not null check (place > 0),
  primary key (account_id, pair, number) include (place)
);

grant select, insert, update on orders.folded, orders.pair to ergon_app;
grant select, insert on orders.filed_order to ergon_app;
