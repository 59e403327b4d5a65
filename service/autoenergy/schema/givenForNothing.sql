-- Energy that others used beyond two levels for each activation fee, over all addresses. It must be 0.
-- A refunded fee does not count.
create or replace function autoenergy.given_for_nothing(level bigint default 131000) returns bigint
language sql stable as $$
  select coalesce(sum(greatest(t.energy - 2 * level * coalesce(f.fees, 0), 0)), 0)::bigint
    from (select account_id, address, sum(energy) as energy from autoenergy.stray group by account_id, address) t
    left join (select s.account_id, s.address, sum(sign(c.amount_sun)) as fees
                 from autoenergy.charge c join autoenergy.subscription s on s.id = c.subscription_id
                where c.kind = 'autoenergy_activate'
                group by s.account_id, s.address) f
           on f.account_id = t.account_id and f.address = t.address
$$;
grant execute on function autoenergy.given_for_nothing(bigint) to ergon_app;
