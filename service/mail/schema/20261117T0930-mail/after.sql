do $$
declare old constant uuid := '01930000-0000-7000-8000-000000000620';
declare new constant uuid := '01930000-0000-7000-8000-000000000930';
begin
  assert (select recipient = 'old@example.com' from mail.letter where id = old), 'a letter was lost';

  -- What the release before does, with the rights that it has.
  set local role ergon_app;
  insert into identity.mail (id, recipient, subject, text, due_at)
  values (new, 'new@example.com', 'new', 'new', clock_timestamp());
  assert (select attempts = 0 from mail.letter where id = new), 'a new letter was tried already';
  update identity.mail set attempts = attempts + 1
   where id = any (array(select m.id from identity.mail m where m.due_at <= clock_timestamp()
                          order by m.due_at limit 10 for update skip locked));
  assert (select min(attempts) = 1 from mail.letter), 'the old name does not lease letters';
  delete from identity.mail where id in (old, new);
  assert not exists (select from mail.letter), 'the old name does not delete letters';
  reset role;
end $$;
