-- Choices that were changed lately.
create index interest_by_time on events.interest (since);
