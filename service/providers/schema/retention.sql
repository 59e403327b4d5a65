-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table providers.provider is 'Kept for ever: one row per provider.';
comment on table providers.offer is 'Kept while the provider offers: one row per provider.';
comment on table providers.stake is 'Kept while the stake is ours: one row per stake.';
comment on table providers.stake_in_flight is 'Kept while no reading of the stake knows it: the next reading deletes it.';
comment on table providers.stake_terms is 'Kept for ever: one row.';
comment on table providers.stake_override is 'Kept for ever: a row per stake with a figure of its own.';
comment on table providers.stake_costing is 'Kept for ever: reports show what own stake cost on each day; a row per hour.';
comment on table providers.stake_cost is 'Kept for ever: reports show what own stake cost on each day; a row per stake and hour.';
