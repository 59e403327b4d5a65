-- Addresses of agent configurations come from the same key; what is paid there is an agent's revenue.
alter table addresses.address drop constraint address_purpose_check;
alter table addresses.address add constraint address_purpose_check check (purpose in ('deposit', 'agent'));
