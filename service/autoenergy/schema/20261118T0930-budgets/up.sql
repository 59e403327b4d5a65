alter table autoenergy.subscription
  -- What covered calls of a UTC day, or month, may cost before cover is paused; null: no budget.
  add column daily_budget_sun bigint check (daily_budget_sun > 0),
  add column monthly_budget_sun bigint check (monthly_budget_sun > 0),
  -- A budget is used up: when cover returns.
  add column paused_until timestamptz,
  -- The end of the last pause of this run: the idle clock stood until then.
  add column resumed_at timestamptz,
  add constraint only_active_is_paused check (paused_until is null or status = 'active');

create index subscription_paused on autoenergy.subscription (id) where paused_until is not null;
