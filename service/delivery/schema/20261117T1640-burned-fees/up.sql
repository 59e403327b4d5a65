-- Operators ask what was burned within a day; most transactions burn nothing.
create index network_fee_burned on delivery.network_fee (block_number) include (fee_sun) where fee_sun > 0;
