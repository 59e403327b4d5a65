-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table account.summary is 'Kept while its account wants summaries: one row per account.';
comment on table account.invoice is 'Kept for ever: an invoice stays as it was issued.';
comment on table account.invoice_line is 'Kept for ever: an invoice stays as it was issued.';
comment on table account.invoice_number is 'Kept for ever: one row.';
comment on table account.particulars is 'Kept for ever: what a client wrote for its invoices; one row per account.';
