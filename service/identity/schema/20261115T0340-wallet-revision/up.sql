-- Nodes remember wallets as they remember keys; whoever changes one cannot forget to tell them.
create function identity.note_wallet() returns trigger
language plpgsql set search_path = '' as $$
begin
  update identity.revision set number = number + 1;
  return null;
end $$;
create trigger wallet_changes_are_noticed after update of wallet_address on identity.account
  for each row when (old.wallet_address is distinct from new.wallet_address) execute function identity.note_wallet();
