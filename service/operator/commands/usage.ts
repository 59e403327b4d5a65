/** Usage of the operators' commands; shown by --help and for invalid command lines. */
export const usage = {
  accounts: `[TEXT]
       npx ergon accounts discount ID --bps BASIS_POINTS --why TEXT --by NAME
       npx ergon accounts block ID --reason TEXT --why TEXT --by NAME
       npx ergon accounts unblock ID --why TEXT --by NAME
       npx ergon accounts limits ID [--requests NUMBER] [--credit TRX] [--order ENERGY] --why TEXT --by NAME
       npx ergon accounts note ID --note TEXT --by NAME
       npx ergon accounts notes ID
TEXT is part of a name or e-mail, or a whole group, id, wallet or deposit address. The client reads --reason; --why stays in the log.
A limit that is left out is that of everybody: requests a minute, TRX to be spent before a block is final, Energy of an order.`,
  adjust: `request --account ID --trx AMOUNT --why TEXT --by NAME
       npx ergon adjust approve ID --why TEXT --by NAME
       npx ergon adjust refuse ID --why TEXT --by NAME
       npx ergon adjust list
A negative amount takes from the client. Above ADJUSTMENT_LIMIT_TRX a second person approves.`,
  announcements: `[list]
       npx ergon announcements write --title TEXT [--message TEXT] [--severity info|warning|critical] [--link URL] [--from TIME] [--until TIME] [--places LIST] --why TEXT --by NAME
       npx ergon announcements write --kind maintenance --title TEXT --from TIME --until TIME --touches LIST [--places LIST] --why TEXT --by NAME
       npx ergon announcements edit ID [the same options, except --kind] --why TEXT --by NAME
       npx ergon announcements end ID --why TEXT --by NAME
       npx ergon announcements withdraw ID --why TEXT --by NAME
Plain text. TIME has its zone, such as 2026-11-20T02:00:00Z. --places are some of workspace,pay,status (workspace,status);
--touches are some of api,purchases,delivery,autoenergy,agent,webhooks,chain. \`none\` takes --link, --until or --touches away.`,
  audit: '[--json]',
  bars: `list
       npx ergon bars lift ID --by NAME --why TEXT
A bar keeps AutoEnergy from an address whose Energy others used, for 30 days.`,
  config: '[--json]',
  doctor: '[--json]',
  floats: `[list]
       npx ergon floats set MARKETPLACE --address ADDRESS --floor TRX --ceiling TRX --daily TRX --why TEXT --by NAME
       npx ergon floats on MARKETPLACE --why TEXT --by NAME
       npx ergon floats off MARKETPLACE --why TEXT --by NAME
       npx ergon floats decide ID --as arrived|lost|wait [--credited TRX] --why TEXT --by NAME
Below the floor the balance at the marketplace is topped up to the ceiling. ADDRESS is a destination of the treasury in the signer's file.
A top-up that does not arrive stops the next: \`decide\` says what became of it, --credited how much arrived of it.`,
  groups: `[list]
       npx ergon groups create NAME --why TEXT --by NAME
       npx ergon groups move ACCOUNT_ID --to NAME --why TEXT --by NAME
NAME has 1 to 40 lower-case letters, digits and hyphens, and stays. An account is in one group at most; --to none takes it out.`,
  'hot-wallet': `[list]
       npx ergon hot-wallet set --floor TRX --ceiling TRX --cold ADDRESS --why TEXT --by NAME
       npx ergon hot-wallet on --why TEXT --by NAME
       npx ergon hot-wallet off --why TEXT --by NAME
Above the ceiling the surplus goes to the cold address, a destination of the treasury in the signer's file.`,
  incidents: `[list]
       npx ergon incidents open --title TEXT --impact degraded|outage --touches LIST --message TEXT --why TEXT --by NAME
       npx ergon incidents update ID --phase investigating|identified|monitoring|resolved --message TEXT --why TEXT --by NAME
       npx ergon incidents withdraw ID --why TEXT --by NAME
\`resolved\` ends an incident that a person opened; what our measurements opened ends by itself. Clients read --message; --why stays in the log.`,
  invoices: `list ID
       npx ergon invoices show ID MONTH [--csv | --html]
       npx ergon invoices issue [--account ID] --why TEXT --by NAME
ID is an account, MONTH such as 2026-11. \`issue\` gives numbers to the months that are over, of all accounts without --account.
--html prints a page for paper.`,
  keys: `create --file FILE [--passphrase-file FILE]
       npx ergon keys show   --file FILE [--passphrase-file FILE]
       npx ergon keys import --file FILE [--passphrase-file FILE]
       npx ergon keys passphrase --file FILE [--passphrase-file FILE] --new-passphrase-file FILE
Passphrases are read from files (SIGNER_PASSPHRASE_FILE), never from the command line. \`import\` makes the file
from the words on paper, which are typed or come from standard input. \`passphrase\` changes the passphrase.`,
  log: `[--who NAME] [--of THING] [--from DAY] [--to DAY] [--csv]
What operators did, newest first. NAME is an operator as the log has it; THING is an id, an e-mail, a switch. Days are in UTC.
Without --csv at most 100 rows.`,
  migrate: '[--json]',
  'operator-key': `create --file FILE --passphrase-file FILE
       npx ergon operator-key show --file FILE --passphrase-file FILE
       npx ergon operator-key sign TEXT_FILE --file FILE --passphrase-file FILE
The key signs approvals of payouts. It stays on the operator's machine; the signer is told the public key.`,
  operators: `list
       npx ergon operators add E-MAIL --password-file FILE [--role ROLE] [--by NAME] [--why TEXT]
       npx ergon operators invite E-MAIL --role ROLE [--by NAME] [--why TEXT]
       npx ergon operators role E-MAIL ROLE [--by NAME] [--why TEXT]
       npx ergon operators totp E-MAIL [--by NAME] [--why TEXT]
       npx ergon operators passkeys E-MAIL [--remove ID] [--by NAME] [--why TEXT]
       npx ergon operators code [E-MAIL]       in the sandbox
       npx ergon operators remove E-MAIL [--by NAME] [--why TEXT]
ROLE is viewer, support, finance or administrator; without --role, administrator. The last administrator stays one.
The password is read from a file, at least 10 characters, never from the command line. \`add\` and \`totp\`
print once what the operator's authenticator app needs; \`totp\` replaces the app and ends the sessions.
\`passkeys\` lists them; --remove takes one away, or \`all\`, and ends the sessions.`,
  order: `show ID
Money, attempts, the chain, events and deliveries to webhooks; the last line is what a client can be sent.`,
  payout: `request --account ID --to ADDRESS --trx AMOUNT --reason TEXT --by NAME
       npx ergon payout text ID
       npx ergon payout approve ID --key-file FILE --passphrase-file FILE --by NAME [--why TEXT]
       npx ergon payout approve ID --signed KEY:SIGNATURE --ends TIME --by NAME [--why TEXT]
       npx ergon payout cancel ID --by NAME [--why TEXT]
       npx ergon payout list
An approval is signed by the operator's own key (npx ergon operator-key); \`text\` prints what is signed.`,
  plans: `[--json]
       npx ergon plans set --file FILE --why TEXT --by NAME
FILE holds what \`npx ergon plans --json\` prints; a plan that is left out is withdrawn.`,
  prices: `[--json]
       npx ergon prices replay RULE
       npx ergon prices follow RULE [--days DAYS] --why TEXT --by NAME
       npx ergon prices end [--group GROUP] [--experiment] --why TEXT --by NAME
RULE is --margin SUN (above wholesale) --change SUN (the most an hour) [--up-to ENERGY] [--group GROUP]. Orders above
--up-to, 200000 unless named, pay the schedule, and nobody ever pays more. With --days half of the accounts pay by it.`,
  providers: '[--json]',
  reconcile: '[--json]',
  recover: `[--restored]
       npx ergon recover attach TXID --payout ID --why TEXT --by NAME
       npx ergon recover attach TXID --account ID [--id PAYOUT_ID] --why TEXT --by NAME
       npx ergon recover confirm --why TEXT --by NAME [--seen TXIDS] [--booked NUMBER] [--dir FOLDER]
After a restore: books what our keys have sent and the books do not know, and lists what a person has to decide.
--restored: also where nothing was sent since the moment, so that no new account gets the address of a lost one.
\`confirm\` ends it on the signer's machine, with DATABASE_SIGNER_URL and the signer's files in --dir or SIGNER_DIR.
--seen names what left, --booked says how many findings need no name; it prints both.`,
  referral: `[--json]
       npx ergon referral set --bps BASIS_POINTS --why TEXT --by NAME
What a client gets of each completed order of those who signed up with its code; 100 is one per cent, 0 is nothing.`,
  report: `[--month MONTH | --from DAY --to DAY] [--group GROUPS] [--csv]
       npx ergon report months
       npx ergon report close MONTH --why TEXT --by NAME
Profit and loss of this month or of the days that are named, in UTC, such as 2026-11 and 2026-11-18. GROUPS are one or more
of day, month, product, client and provider, with commas between them. A closed month cannot be opened again.`,
  rescan: '--from HEIGHT',
  schedule: `[--json]
       npx ergon schedule preview CHANGES
       npx ergon schedule set CHANGES --why TEXT --by NAME
CHANGES are one or more of --prices P0,P1,…,P23 (SUN per Energy, one per UTC hour),
--min ENERGY and --max ENERGY (smallest and largest order), --floor SUN (least margin per Energy).`,
  secrets: `reseal [--json]
Seals the secrets of all webhooks with the first key in SECRETS_KEY_FILE; then the other keys can be removed from it.`,
  signer: `[show]
       npx ergon signer on --why TEXT --by NAME [--seen TXIDS]
       npx ergon signer init --chain GENESIS_ID --hot ADDRESS --keys NAME=KEY,NAME=KEY [--first] [--dir FOLDER]
       npx ergon signer keys [list]
       npx ergon signer keys add NAME=KEY [--text] [--signed KEY:SIGNATURE,KEY:SIGNATURE]
       npx ergon signer keys remove KEY
       npx ergon signer allow [list]
       npx ergon signer allow add ADDRESS [--text] [--signed KEY:SIGNATURE,KEY:SIGNATURE]
       npx ergon signer allow remove ADDRESS
       npx ergon signer treasury [list]
       npx ergon signer treasury add ADDRESS --hourly TRX --daily TRX [--text] [--signed …]
       npx ergon signer treasury remove ADDRESS
       npx ergon signer witnesses [list]
       npx ergon signer witnesses add ADDRESS [--text] [--signed …]
       npx ergon signer witnesses remove ADDRESS
Every operator can turn signing off; only this command, with DATABASE_SIGNER_URL, turns it on.
Runs on the signer's machine; its files are in --dir or SIGNER_DIR. What is added holds after 24 hours,
or at once when two operators sign the text that --text prints. What is removed is gone at once.`,
  sql: `"select …"
One statement, in a transaction that cannot write. Names carry their schema: orders.purchase_order.`,
  stakes: `[--json]
       npx ergon stakes freeze --trx AMOUNT [--resource RESOURCE] [--stake ADDRESS] --why TEXT --by NAME
       npx ergon stakes unfreeze --trx AMOUNT [--resource RESOURCE] [--stake ADDRESS] --why TEXT --by NAME
       npx ergon stakes withdraw [--stake ADDRESS] --why TEXT --by NAME
       npx ergon stakes cancel [--stake ADDRESS] --why TEXT --by NAME
       npx ergon stakes vote --for WITNESS=SHARE,WITNESS=SHARE [--standing] [--stake ADDRESS] --why TEXT --by NAME
       npx ergon stakes claim [--stake ADDRESS] --why TEXT --by NAME
       npx ergon stakes preview ACTION …
       npx ergon stakes operations
       npx ergon stakes text ID
       npx ergon stakes approve ID --key-file FILE --passphrase-file FILE --by NAME [--why TEXT]
       npx ergon stakes approve ID --signed KEY:SIGNATURE --ends TIME --by NAME [--why TEXT]
       npx ergon stakes stop ID --by NAME [--why TEXT]
       npx ergon stakes cost [--yield BASIS_POINTS] [--floor BASIS_POINTS] [--days DAYS] [--sun SUN|none] --why TEXT --by NAME
       npx ergon stakes cost --stake ADDRESS --sun SUN|none --why TEXT --by NAME
RESOURCE is energy or bandwidth. \`preview\` prints what one of the first six would do, with their options. \`cancel\` makes all that
is unfreezing stake again; \`stop\` ends an operation that is not signed. With --standing it votes so again when the stake grows,
and a vote without it ends that. Two operators approve the first four; votes and claims need nobody.
\`cost\` says what own stake must earn: --yield of the staked TRX in a year, over Energy sold in the last --days, and over
--floor of what is produced at least. --sun sets a figure by hand, for all stakes or for one; none: it is worked out again.`,
  status: '[--json]',
  switches: `[list]
       npx ergon switches off NAME --why TEXT --by NAME
       npx ergon switches on NAME --why TEXT --by NAME
NAME is selling, autoenergy, agent, sweeps, signing, webhooks or provider:NAME.`,
  statements: `list [--provider NAME] [--from DAY --to DAY] [--all]
       npx ergon statements show ID
       npx ergon statements run [NAME] --why TEXT --by NAME
       npx ergon statements decide ID --as accept|claim|dismiss --why TEXT --by NAME
What marketplaces say they charged, against the books. \`show\` prints what each decision would book, and changes nothing.
--all: also differences that are settled. Exit code 1 while one waits for a person.`,
  undecided: `list
       npx ergon undecided effect ID --as delivered|partial|absent [--energy AMOUNT]
       npx ergon undecided decide ID --as delivered|partial|absent [--energy AMOUNT] --by NAME --why TEXT
\`effect\` prints what the decision would book, and changes nothing. --energy: of a part, the Energy that came.`,
} as const

export const usageOf = (name: keyof typeof usage) => `Usage: npx ergon ${name} ${usage[name]}`
