-- Terms and the privacy notice: every text that was shown, and who accepted which version when.

create table identity.terms_text (
  document text not null check (document in ('terms', 'privacy')),
  version text not null check (version <> ''),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  text text not null,
  is_sample boolean not null,
  first_shown_at timestamptz not null,
  primary key (document, version, sha256)
);

create table identity.terms_acceptance (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  document text not null,
  version text not null,
  sha256 text not null,
  -- When the person said so, and where.
  at timestamptz not null,
  place text not null check (place in ('sign_up', 'workspace')),
  foreign key (document, version, sha256) references identity.terms_text (document, version, sha256)
);
create index acceptance_by_account on identity.terms_acceptance (account_id, id desc);

create function identity.refuse_terms_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception 'what was shown and accepted stays' using constraint = 'acceptances_stay';
end $$;
create trigger acceptances_stay before update or delete on identity.terms_text
  for each row execute function identity.refuse_terms_change();
create trigger acceptances_stay before update or delete on identity.terms_acceptance
  for each row execute function identity.refuse_terms_change();

grant select, insert on identity.terms_text, identity.terms_acceptance to ergon_app;
