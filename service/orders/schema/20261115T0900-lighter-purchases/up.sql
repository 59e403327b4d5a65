-- An order and its key are written with a movement of the ledger's account, which refers to
-- identity.account itself. Asking that table twice more for every purchase took a sixth of its time.
alter table orders.purchase_order drop constraint purchase_order_account_id_fkey;
alter table orders.idempotency_key drop constraint idempotency_key_account_id_fkey;
