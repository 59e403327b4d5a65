-- Things that a loop could not handle: an order, a deposit, a webhook's outcome. Each is tried again at
-- next_at, while the loop goes on with the others. Times are business time.
-- A row is deleted when its thing is handled. A thing that ended in another way is not tried again: its row
-- is kept for a minute after next_at, because until then the try may only be late.
create table db.put_aside (
  loop     text not null,
  subject  text not null,
  error    text not null,
  failures integer not null check (failures > 0),
  first_at timestamptz not null,
  last_at  timestamptz not null,
  next_at  timestamptz not null,
  primary key (loop, subject)
);
grant select, insert, update, delete on db.put_aside to ergon_app, ergon_signer;
