-- Invoices by month. An invoice covers the movements of an account after one version and up to another; the next one goes on
-- where it ended, so that what arrives late is in the next one.

-- The last number that was given. It is locked until the invoice is written, so that numbers have no gaps.
create table account.invoice_number (
  only_row boolean primary key default true check (only_row),
  last bigint not null default 0
);
insert into account.invoice_number default values;

create table account.invoice (
  account_id uuid not null references identity.account (id),
  month date not null check (extract(day from month) = 1),
  number bigint not null check (number > 0),
  issued_at timestamptz not null,
  after_version bigint not null check (after_version >= 0),
  upto_version bigint not null,
  opening_sun bigint not null,
  closing_sun bigint not null,
  -- What the client is charged: charges less credits.
  total_sun bigint not null,
  -- Particulars as they were at the issue.
  issuer jsonb not null,
  client jsonb not null,
  primary key (account_id, month),
  constraint one_invoice_per_number unique (number),
  constraint movements_are_in_one_invoice unique (account_id, after_version),
  constraint invoice_has_movements check (upto_version > after_version)
);

create table account.invoice_line (
  account_id uuid not null,
  month date not null,
  line text not null,
  -- Whether it is charged for, or moves money of the client alone, such as deposits.
  is_charge boolean not null,
  -- The month of the movements; an earlier one for what arrived late.
  of_month date not null check (extract(day from of_month) = 1),
  count bigint not null check (count > 0),
  -- Signed as the client sees it: a charge is negative.
  amount_sun bigint not null,
  primary key (account_id, month, line, of_month),
  foreign key (account_id, month) references account.invoice (account_id, month)
);

-- What an invoice says is true when it is committed, and never changes: also for the owner of these tables.
create function account.check_invoice() returns trigger
language plpgsql set search_path = '' as $$
declare
  one constant account.invoice := (select i from account.invoice i where i.account_id = new.account_id and i.month = new.month);
  moved bigint;
  charged bigint;
begin
  select coalesce(sum(l.amount_sun), 0), coalesce(-sum(l.amount_sun) filter (where l.is_charge), 0) into moved, charged
    from account.invoice_line l where l.account_id = new.account_id and l.month = new.month;
  if moved <> one.closing_sun - one.opening_sun or charged <> one.total_sun then
    raise exception 'the lines of invoice % are %, with charges of % SUN', one.number, moved, charged
      using constraint = 'lines_are_the_movements';
  end if;
  if one.number > 1 and not exists (select from account.invoice i where i.number = one.number - 1) then
    raise exception 'there is no invoice before %', one.number using constraint = 'numbers_have_no_gaps';
  end if;
  return null;
end $$;
create constraint trigger lines_are_the_movements after insert on account.invoice
  deferrable initially deferred for each row execute function account.check_invoice();
create constraint trigger lines_are_the_movements after insert on account.invoice_line
  deferrable initially deferred for each row execute function account.check_invoice();

create function account.refuse_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception 'an invoice stays as it was issued' using constraint = 'invoices_stay';
end $$;
create trigger invoices_stay before update or delete on account.invoice
  for each row execute function account.refuse_change();
create trigger invoices_stay before update or delete on account.invoice_line
  for each row execute function account.refuse_change();

-- What a client writes about itself for its invoices.
create table account.particulars (
  account_id uuid primary key references identity.account (id),
  name text not null check (length(name) <= 200),
  address text not null check (length(address) <= 600),
  tax_number text not null check (length(tax_number) <= 60),
  changed_at timestamptz not null
);

grant select, update on account.invoice_number to ergon_app;
grant select, insert on account.invoice, account.invoice_line to ergon_app;
grant select, insert, update on account.particulars to ergon_app;
