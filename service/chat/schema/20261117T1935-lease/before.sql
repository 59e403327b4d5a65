insert into chat.duty (app, owner, lease_until, heard_below)
values ('old', '01930000-0000-7000-8000-000000000610', '2026-01-01Z', '41');
