-- Counts every change of terms, discounts and plans. Nodes look at it each second and read the rest when it has grown;
-- whoever changes a price cannot forget to tell them.
create table pricing.revision (
  only_row boolean primary key default true check (only_row),
  number bigint not null default 0
);
insert into pricing.revision default values;
grant select, update on pricing.revision to ergon_app;

create function pricing.note_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  update pricing.revision set number = number + 1;
  return null;
end $$;
create trigger terms_are_noticed after insert or update or delete on pricing.terms
  for each statement execute function pricing.note_change();
create trigger discounts_are_noticed after insert or update or delete on pricing.discount
  for each statement execute function pricing.note_change();
create trigger plans_are_noticed after insert or update or delete on pricing.plan
  for each statement execute function pricing.note_change();
