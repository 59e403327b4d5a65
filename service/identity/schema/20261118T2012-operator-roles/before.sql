insert into better_auth."user" ("id", "name", "email", "emailVerified", "createdAt", "updatedAt", "role", "ergonAccount")
values ('before-roles-1', 'Operator', 'before-roles@example.com', true, '2026-01-01Z', '2026-01-01Z', 'operator', null),
       ('before-roles-2', 'Client', 'client-before-roles@example.com', true, '2026-01-01Z', '2026-01-01Z', 'client', 'a');
