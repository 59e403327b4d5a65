-- An address that was ours stays ours: nobody makes a scanner blind by taking it out.
revoke delete on chain.watched, chain.caller from ergon_app;
