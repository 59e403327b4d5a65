-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table chain.cursor is 'Kept for ever: one row.';
comment on table chain.head is 'Kept for ever: one row.';
comment on table chain.block is 'Kept while among the 1,000 blocks below the solid one: no branch reaches deeper; the scanner deletes the others.';
comment on table chain.watched is 'Kept for ever: an address that was ours stays ours.';
comment on table chain.caller is 'Kept for ever: an address that was covered stays known.';
comment on table chain.broadcast is 'Kept for ever: a transfer of ours ends by this row, however late it is looked at.';
