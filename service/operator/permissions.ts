import { mayAct, operatorRoutes, type Role } from '@ergon/contract'
import { usage } from './commands/usage.ts'
import { parseOptions } from './options.ts'

/**
 * The least role for each route of the console. A route without a row stops the start of the service, and
 * `permissions.test.ts`. Reading is for viewers; what decides about clients is for support, about money for finance,
 * about the service and its people for administrators.
 */
export const ROUTE_ROLES: Record<string, Role> = {
  getOperatorSession: 'viewer',
  postOperatorPassword: 'viewer',
  postOperatorStepUp: 'viewer',
  // Everybody's own.
  getOperatorPasskeys: 'viewer',
  postOperatorPasskeyChallenge: 'viewer',
  postOperatorPasskey: 'viewer',
  patchOperatorPasskey: 'viewer',
  deleteOperatorPasskey: 'viewer',
  postOperatorStepUpChallenge: 'viewer',
  postOperatorStepUpPasskey: 'viewer',

  getOperatorStatus: 'viewer',
  getOperatorCapacity: 'viewer',
  getOperatorStakeCost: 'viewer',
  getOperatorSwitches: 'viewer',
  postOperatorSwitch: 'administrator',
  getOperatorActions: 'viewer',
  getOperatorFindings: 'viewer',
  getOperatorTeam: 'viewer',
  postOperatorRole: 'administrator',
  postOperatorRemoval: 'administrator',
  postOperatorInvitation: 'administrator',
  postOperatorInvitationRevocation: 'administrator',
  // It stops selling when the books do not add up, and it reads all of them.
  postOperatorAudit: 'support',

  getOperatorAnnouncements: 'viewer',
  // Who answers clients tells them: at night support is alone, and it moves no money.
  postOperatorAnnouncement: 'support',
  postOperatorAnnouncementEdit: 'support',
  postOperatorAnnouncementEnd: 'support',
  postOperatorAnnouncementWithdrawal: 'support',
  getOperatorIncidents: 'viewer',
  postOperatorIncident: 'support',
  postOperatorIncidentUpdate: 'support',
  postOperatorIncidentWithdrawal: 'support',

  getOperatorAccounts: 'viewer',
  getOperatorAccount: 'viewer',
  postOperatorDiscount: 'finance',
  postOperatorBlock: 'support',
  postOperatorUnblock: 'support',
  postOperatorLimits: 'finance',
  getOperatorNotes: 'viewer',
  postOperatorNote: 'support',
  getOperatorReferral: 'viewer',
  postOperatorReferral: 'finance',
  getOperatorGroups: 'viewer',
  // Prices may name a group.
  postOperatorGroup: 'finance',
  postOperatorAccountGroup: 'finance',
  getOperatorInvoices: 'viewer',
  getOperatorInvoice: 'viewer',
  getOperatorInvoicePage: 'viewer',
  getOperatorInvoiceFile: 'viewer',
  postOperatorInvoices: 'finance',
  getOperatorAdjustments: 'viewer',
  postOperatorAdjustment: 'finance',
  postOperatorAdjustmentApproval: 'finance',
  postOperatorAdjustmentRefusal: 'finance',

  getOperatorFound: 'viewer',
  getOperatorOrders: 'viewer',
  getOperatorOrder: 'viewer',
  getOperatorUndecided: 'viewer',
  getOperatorDecisionEffect: 'viewer',
  // It books the cost of a delivery, or that there was none.
  postOperatorDecision: 'finance',

  getOperatorProviders: 'viewer',
  getOperatorSchedule: 'viewer',
  postOperatorSchedulePreview: 'viewer',
  postOperatorSchedule: 'finance',
  getOperatorFollowed: 'viewer',
  postOperatorFollowedReplay: 'viewer',
  postOperatorFollowed: 'finance',
  postOperatorFollowedEnd: 'finance',
  getOperatorPlans: 'viewer',
  postOperatorPlans: 'finance',
  getOperatorAgents: 'viewer',
  postOperatorAgentPause: 'support',
  postOperatorAgentRelease: 'support',
  getOperatorBars: 'viewer',
  postOperatorBarLift: 'support',

  getOperatorTreasury: 'viewer',
  postOperatorReconciliation: 'support',
  getOperatorPayouts: 'viewer',
  postOperatorPayout: 'finance',
  postOperatorPayoutApproval: 'finance',
  postOperatorPayoutCancellation: 'finance',
  getOperatorStakes: 'viewer',
  postOperatorStakePreview: 'viewer',
  postOperatorStakeOperation: 'finance',
  postOperatorStakeApproval: 'finance',
  postOperatorStakeStop: 'finance',
  getOperatorHotWallet: 'viewer',
  postOperatorHotWallet: 'finance',
  postOperatorHotWalletSwitch: 'finance',
  getOperatorFloats: 'viewer',
  postOperatorFloat: 'finance',
  postOperatorFloatSwitch: 'finance',
  postOperatorTopUpDecision: 'finance',
  getOperatorBooks: 'viewer',
  getOperatorMonths: 'viewer',
  postOperatorMonthClose: 'finance',
  getOperatorStatements: 'viewer',
  getOperatorStatementEffect: 'viewer',
  // It asks all marketplaces for all they have charged lately.
  postOperatorStatementRun: 'support',
  postOperatorStatementDecision: 'finance',
}

/**
 * The least role for each command, and for each of its verbs. `machine`: the command belongs to who has the machine, its files
 * or the signer's database role, and asks for no operator. A viewer's commands only read and need no --by.
 */
export const COMMAND_ROLES: Record<string, Role | 'machine'> = {
  accounts: 'viewer',
  'accounts discount': 'finance',
  'accounts block': 'support',
  'accounts unblock': 'support',
  'accounts limits': 'finance',
  'accounts note': 'support',
  'accounts notes': 'viewer',
  'adjust request': 'finance',
  'adjust approve': 'finance',
  'adjust refuse': 'finance',
  'adjust list': 'viewer',
  announcements: 'viewer',
  'announcements list': 'viewer',
  'announcements write': 'support',
  'announcements edit': 'support',
  'announcements end': 'support',
  'announcements withdraw': 'support',
  // It stops selling when the books do not add up, as the loop of the service does.
  audit: 'machine',
  'bars list': 'viewer',
  'bars lift': 'support',
  config: 'machine',
  doctor: 'machine',
  floats: 'viewer',
  'floats list': 'viewer',
  'floats set': 'finance',
  'floats on': 'finance',
  'floats off': 'finance',
  'floats decide': 'finance',
  groups: 'viewer',
  'groups list': 'viewer',
  'groups create': 'finance',
  'groups move': 'finance',
  'hot-wallet': 'viewer',
  'hot-wallet list': 'viewer',
  'hot-wallet set': 'finance',
  'hot-wallet on': 'finance',
  'hot-wallet off': 'finance',
  incidents: 'viewer',
  'incidents list': 'viewer',
  'incidents open': 'support',
  'incidents update': 'support',
  'incidents withdraw': 'support',
  'invoices list': 'viewer',
  'invoices show': 'viewer',
  'invoices issue': 'finance',
  'keys create': 'machine',
  'keys show': 'machine',
  'keys import': 'machine',
  'keys passphrase': 'machine',
  log: 'viewer',
  migrate: 'machine',
  'operator-key create': 'machine',
  'operator-key show': 'machine',
  'operator-key sign': 'machine',
  'operators list': 'viewer',
  'operators add': 'administrator',
  'operators invite': 'administrator',
  'operators role': 'administrator',
  'operators totp': 'administrator',
  'operators code': 'machine',
  'operators passkeys': 'administrator',
  'operators remove': 'administrator',
  'order show': 'viewer',
  'payout request': 'finance',
  'payout text': 'viewer',
  'payout approve': 'finance',
  'payout cancel': 'finance',
  'payout list': 'viewer',
  plans: 'viewer',
  'plans set': 'finance',
  prices: 'viewer',
  'prices replay': 'viewer',
  'prices follow': 'finance',
  'prices end': 'finance',
  providers: 'viewer',
  reconcile: 'viewer',
  recover: 'machine',
  'recover attach': 'finance',
  // The signer's role in the database reads no operators.
  'recover confirm': 'machine',
  referral: 'viewer',
  'referral set': 'finance',
  report: 'viewer',
  'report months': 'viewer',
  'report close': 'finance',
  rescan: 'machine',
  schedule: 'viewer',
  'schedule preview': 'viewer',
  'schedule set': 'finance',
  'secrets reseal': 'machine',
  signer: 'machine',
  'signer show': 'machine',
  'signer on': 'machine',
  'signer init': 'machine',
  'signer keys': 'machine',
  'signer allow': 'machine',
  'signer treasury': 'machine',
  'signer witnesses': 'machine',
  sql: 'viewer',
  stakes: 'viewer',
  'stakes cost': 'finance',
  statements: 'viewer',
  'statements list': 'viewer',
  'statements show': 'viewer',
  'statements run': 'support',
  'statements decide': 'finance',
  'stakes freeze': 'finance',
  'stakes unfreeze': 'finance',
  'stakes withdraw': 'finance',
  'stakes cancel': 'finance',
  'stakes vote': 'finance',
  'stakes claim': 'finance',
  'stakes preview': 'viewer',
  'stakes operations': 'viewer',
  'stakes text': 'viewer',
  'stakes approve': 'finance',
  'stakes stop': 'finance',
  status: 'viewer',
  switches: 'viewer',
  'switches list': 'viewer',
  'switches off': 'administrator',
  'switches on': 'administrator',
  'undecided list': 'viewer',
  'undecided effect': 'viewer',
  'undecided decide': 'finance',
}

const WHERE = 'in service/operator/permissions.ts'
const HINT = 'with the least role that may do it: viewer, support, finance or administrator'

export function roleOfRoute(name: string): Role {
  const role = ROUTE_ROLES[name]
  if (role) return role
  throw new Error(`The route ${name} has no role: add it to ROUTE_ROLES ${WHERE}, ${HINT}.`)
}

/** Paths of the changes that a role may make. */
export function changesOf(role: Role): string[] {
  const changes = operatorRoutes.filter(
    ({ auth, method }) => auth === 'operator' && method !== 'GET',
  )
  const may = changes.filter(({ name }) => mayAct(role, roleOfRoute(name)))
  return [...new Set(may.map(({ path }) => path))]
}

/** Words after the command's name that its usage has, as they are typed. */
export function verbsOf(name: keyof typeof usage): string[] {
  const lines = (usage[name] ?? '').split('\n').map((line) => line.trim())
  const ours = lines.flatMap((line, at) =>
    at === 0 ? line : line.startsWith(`npx ergon ${name} `) ? line.slice(11 + name.length) : [],
  )
  return [...new Set(ours.flatMap((line) => /^\[?([a-z]+)\b/.exec(line)?.[1] ?? []))]
}

/** Undefined for a command line that has no such form; the command says so itself. */
export function roleOfCommand(
  name: keyof typeof usage,
  args: string[],
): Role | 'machine' | undefined {
  const [word = ''] = parseOptions(args).words
  const isVerb = verbsOf(name).includes(word)
  const line = isVerb ? `${name} ${word}` : name
  const role = COMMAND_ROLES[line]
  const isKnown = Object.keys(COMMAND_ROLES).some((row) => row.split(' ')[0] === name)
  if (role || (isKnown && !isVerb)) return role
  throw new Error(
    `The command \`${line}\` has no role: add it to COMMAND_ROLES ${WHERE}, ${HINT}; or machine.`,
  )
}
