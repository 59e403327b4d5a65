insert into identity.mail (id, recipient, subject, text, due_at)
values ('01930000-0000-7000-8000-000000000620', 'old@example.com', 'old', 'old', '2026-01-01Z');
