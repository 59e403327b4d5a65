do $$
begin
  assert (select array_agg(c.activation order by c.txid) = array[0, 1, 2]::bigint[] from autoenergy.call c where c.address = 'T'),
    'a paid debt is in another run than the one whose Energy it used';
  assert (select array_agg(s.address) = array['before-its-close'] from autoenergy.subscription s where s.due_at is not null),
    'days are due that are not charged';
end $$;
