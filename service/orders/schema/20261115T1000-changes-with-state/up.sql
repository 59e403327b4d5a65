-- The answer about an order is kept with its state and not read again while that is the same. So nothing
-- else of an order may change without it.
create function orders.refuse_silent_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception 'order % was to change and stay %', old.id, old.status
    using constraint = 'order_changes_with_its_state';
end $$;
create trigger order_changes_with_its_state before update on orders.purchase_order
  for each row when (old.status = new.status and old.* is distinct from new.*)
  execute function orders.refuse_silent_change();
