-- Whoever has paid looks at the last hour of their own payments, twice a second while they look.
create index payment_by_payer on agent.payment (config_id, payer, created_at desc);
