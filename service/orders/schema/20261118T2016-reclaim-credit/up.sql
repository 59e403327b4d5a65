-- What was given back for Energy of a completed order that its seller took back before the hour was over.
create table orders.reclaim_credit (
  order_id uuid not null references orders.purchase_order (id),
  reclaim_txid text not null,
  provider text not null,
  energy bigint not null check (energy >= 0),
  seconds_missing bigint not null check (seconds_missing >= 0),
  -- 0: the part was worth less than a SUN, or the whole price was given back before.
  amount_sun bigint not null check (amount_sun >= 0),
  reclaimed_at timestamptz not null,
  primary key (order_id, reclaim_txid)
);
grant select, insert on orders.reclaim_credit to ergon_app;
