-- Through whom accounts signed up: the account whose code was given. Nobody refers themselves.
create or replace function identity.referrers_of(accounts uuid[]) returns table (account uuid, referrer uuid)
language sql stable set search_path = '' rows 10 as $$
  select s.account_id, r.id
    from identity.sign_up s join identity.account r on r.referral_code = s.referral_code
   where s.account_id = any (accounts) and s.referral_code <> '' and r.id <> s.account_id
$$;
