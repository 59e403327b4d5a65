create index sighting_by_age on delivery.sighting (seen_at);
