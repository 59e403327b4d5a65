-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table mail.letter is 'Kept while it is not sent: deleted when the mail server took it, or after 30 tries in about a day.';
