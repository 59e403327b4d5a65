import type { usage } from './usage.ts'

type Listed = { group: string; example: string }

const BY = '--by ann --why "a reason"'

/** How the list of commands shows those of the operators: by what they are for, each with an example. */
const GROUPS: Record<string, Partial<Record<keyof typeof usage, string>>> = {
  Look: {
    status: 'status',
    doctor: 'doctor',
    config: 'config',
    audit: 'audit',
    reconcile: 'reconcile',
    providers: 'providers',
    log: 'log --who ann@example.com --from 2026-11-01',
    stakes: 'stakes',
    report: 'report --month 2026-11 --group product',
    statements: 'statements list',
    sql: 'sql "select count(*) from orders.purchase_order"',
  },
  'Clients and their money': {
    accounts: 'accounts corner',
    groups: `groups move ID --to resellers ${BY}`,
    adjust: `adjust request --account ID --trx 2.5 ${BY}`,
    order: 'order show ID',
    invoices: 'invoices show ID 2026-11',
    payout: 'payout list',
    undecided: `undecided decide ID --as delivered ${BY}`,
  },
  'Talking to clients': {
    announcements: `announcements write --title "A new plan" ${BY}`,
    incidents: 'incidents list',
  },
  Treasury: {
    'hot-wallet': `hot-wallet set --floor 1000 --ceiling 5000 --cold ADDRESS ${BY}`,
    floats: `floats decide ID --as wait ${BY}`,
  },
  'Prices and switches': {
    schedule: 'schedule preview --min 40000',
    prices: 'prices replay --margin 4 --change 2',
    plans: `plans set --file plans.json ${BY}`,
    switches: `switches off selling ${BY}`,
    referral: `referral set --bps 100 ${BY}`,
    bars: `bars lift ID ${BY}`,
  },
  'Keys and people': {
    keys: 'keys create --file keys.json --passphrase-file passphrase',
    'operator-key': 'operator-key create --file me.json --passphrase-file passphrase',
    operators: 'operators add ann@example.com --password-file password',
    secrets: 'secrets reseal',
    signer: `signer on ${BY}`,
  },
  'Database and chain': {
    migrate: 'migrate',
    rescan: 'rescan --from 1234',
    recover: `recover attach TXID --payout ID ${BY}`,
  },
}

/** Group and example of a command. One that is not listed would be found by nobody. */
export function listedAs(name: string): Listed {
  for (const [group, examples] of Object.entries(GROUPS)) {
    const example = examples[name as keyof typeof usage]
    if (example !== undefined) return { group, example }
  }
  throw new Error(`the command ${name} is in no group`)
}

/** The names in the order of the list. */
export const listedNames = Object.values(GROUPS).flatMap((examples) => Object.keys(examples))
