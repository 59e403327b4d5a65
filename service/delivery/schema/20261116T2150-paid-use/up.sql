-- Of what calls of the address took since the last look, that which they pay for: one level each at most.
alter table delivery.standing add column paid_for bigint not null default 0;
