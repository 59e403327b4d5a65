import { createNodeClient, type HexAddress, toHex } from '@ergon/tron'
import {
  createDailySummary,
  createInvoices,
  createParticulars,
  NO_ISSUER,
} from '../account/index.ts'
import { createAddresses } from '../addresses/index.ts'
import { type Agent, createAgent } from '../agent/index.ts'
import { type Audit, createAudit } from '../audit/index.ts'
import { createAutoEnergy } from '../autoenergy/index.ts'
import { createBooks, createStatements } from '../books/index.ts'
import { type Chain, createChain } from '../chain/index.ts'
import { createChat } from '../chat/index.ts'
import { createHousekeeping } from '../db/index.ts'
import { createDelivery, type Delivery, stakeUses } from '../delivery/index.ts'
import { CREDIT_LIMITS, createDeposits } from '../deposits/index.ts'
import { createEvents } from '../events/index.ts'
import { apiSilentMs } from '../http/index.ts'
import {
  type Clients,
  createAccounts,
  createAuthenticator,
  createClients,
  createNotes,
  createTerms,
} from '../identity/index.ts'
import { createLoop, sun } from '../kernel/index.ts'
import { createLedger, createSumLoop } from '../ledger/index.ts'
import { createMail } from '../mail/index.ts'
import { createOperator, type Operator } from '../operator/index.ts'
import { createOrders } from '../orders/index.ts'
import { createPricing, USUAL_ORDER } from '../pricing/index.ts'
import {
  createOwnStake,
  createProviders,
  createStakeCosts,
  type Providers,
} from '../providers/index.ts'
import { createSigning, SIGNATURES_TO_TAKE, SIGNER_WANTED } from '../signing/index.ts'
import { createStaking, isStakeContract, type Staking } from '../staking/index.ts'
import { createStatus, type Status } from '../status/index.ts'
import { createTreasury, type Treasury } from '../treasury/index.ts'
import { createWebhooks } from '../webhooks/index.ts'
import { RETENTION } from './retention.ts'
import type { RoomsOptions } from './roomsOptions.ts'

export const MAINNET_USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const NODE_TIMEOUT_MS = 10_000
const ADJUSTMENT_LIMIT = sun(100_000_000n)

/** With blocks on demand an old head is the newest there is. */
const staleAfterMs = (blockMs: number) =>
  blockMs === 0 ? Number.POSITIVE_INFINITY : Math.max(30_000, 5 * blockMs)

/** Every room of the service, wired. Participants are registered here and nowhere else. */
export function createRooms(options: RoomsOptions) {
  const { db, runtime, log } = options
  const node =
    options.node ??
    createNodeClient({
      urls: options.nodeUrls,
      solidityUrls: options.nodeSolidityUrls,
      timeoutMs: NODE_TIMEOUT_MS,
      ...(options.blockMs !== undefined && { staleAfterMs: staleAfterMs(options.blockMs) }),
      now: () => runtime.clock.now().getTime(),
      ...(options.nodeApiKey && { apiKey: options.nodeApiKey }),
    })
  // Late bound: lower rooms call participants of rooms that are created after them.
  const late = {
    agent: (): Agent => agent,
    unproven: options.unproven ?? (() => audit.proofs.unproven()),
    chain: (): Chain => chain,
    delivery: (): Delivery => delivery,
    clients: (): Clients => clients,
    staking: (): Staking => staking,
    treasury: (): Treasury => treasury,
  }

  const events = createEvents({ db, runtime, log })
  const signing = createSigning({ db, runtime, wake: options.wakeSigner })
  const ledger = createLedger({ db, runtime })
  const pricing = createPricing({
    db,
    runtime,
    log,
    // Rounded up, so that the margin is not overstated.
    wholesale() {
      const cost = late.delivery().costOf(USUAL_ORDER)
      return cost === undefined ? undefined : (cost + USUAL_ORDER - 1n) / USUAL_ORDER
    },
    groupOf: (account) => late.clients().groupOf(account) ?? '',
  })
  const addresses = createAddresses({
    db,
    runtime,
    signing,
    extendedPublicKey: options.depositXpub,
    watch: (tx, list, purpose) => late.chain().watch(tx, list, purpose),
    // A sandbox is not restored, and may be without a scanner.
    mayAllot: () => options.blockMs !== undefined || late.chain().lag.mayBuild(),
  })
  const authenticator = createAuthenticator({ db, clock: runtime.clock, log })
  const clients = createClients({ db, clock: runtime.clock, log })
  const accounts = createAccounts({ db, runtime, onAccount: [addresses.allotDeposit, ledger.open] })
  const deposits = createDeposits({
    db,
    runtime,
    log,
    addresses,
    ledger,
    signing,
    chain: late.chain,
    limits: { ...CREDIT_LIMITS, ...options.creditLimits },
    ownLimitOf: (account) => clients.limitsOf(account).unverifiedCredit,
    sweepMin: options.sweepMin,
    floats: () => providers.floats(),
    knownTo: [
      (tx, txids) => late.delivery().knownOf(tx, txids),
      (tx, txids) => late.staking().knownOf(tx, txids),
    ],
    recoverMoves: (tx, moves) => late.delivery().recover(tx, moves),
    recoverStakes: { isOurs: isStakeContract, book: (found) => late.staking().recover(found) },
    treasuryTransfers: (tx, departures) => late.treasury().knownOf(tx, departures),
    recoverTransfers: {
      destinations: () => late.treasury().recovering.destinations(),
      recover: (found) => late.treasury().recovering.recover(found),
    },
    onDeposits: [(tx, news, minedAt) => orders.onDeposits(tx, news, minedAt)],
  })
  const autoenergy = createAutoEnergy({
    db,
    runtime,
    log,
    addresses,
    events,
    ledger,
    pricing,
    chain: late.chain,
    standing: () => late.delivery().standing,
  })
  const chain: Chain = createChain({
    db,
    node,
    clock: runtime.clock,
    log,
    pollMs: options.scanMs,
    blockMs: options.blockMs,
    receiverMs: options.receiverMs,
    takeSigned: signing.takeSigned,
    signedDue: SIGNATURES_TO_TAKE,
    treasury: async (tx) => (await signing.outflows.treasury(tx)).map(({ address }) => address),
    recovery: signing.recovery.reason,
    // Deposits last: they lock ledger accounts, and nothing is locked after those.
    onBlock: [
      (tx, block) => providers.onBlock(tx, block),
      (tx, block) => late.delivery().onBlock(tx, block),
      (tx, block) => late.agent().onBlock(tx, block),
      autoenergy.onBlock,
      deposits.onBlock,
    ],
    onOrphan: [
      (tx, block) => providers.onOrphan(tx, block),
      (tx, block) => late.delivery().onOrphan(tx, block),
      (tx, block) => late.agent().onOrphan(tx, block),
      autoenergy.onOrphan,
      deposits.onOrphan,
    ],
    onCommit: options.onBlock ?? (() => {}),
  })
  const stakeCosts = createStakeCosts({
    db,
    runtime,
    log,
    chain,
    signing,
    uses: stakeUses,
    isSandbox: options.blockMs !== undefined,
  })
  const ownStake = createOwnStake({
    db,
    runtime,
    chain,
    signing,
    unitPrice: (totals) => stakeCosts.unit(totals),
    async promised() {
      // Read paid orders first: an order that starts in between is counted twice rather than missed.
      const paid = (await orders.pending()).energy
      return paid + (await late.delivery().promised('own_stake'))
    },
  })
  const providers: Providers = createProviders({
    db,
    clock: runtime.clock,
    log,
    own: ownStake,
    marketplaces: options.marketplaces ?? [],
    standIns: options.standIns ?? new Map(),
    onRegister: [(tx, names) => ledger.openProviders(tx, names)],
  })
  const orders = createOrders({
    db,
    waitingDb: options.waitingDb,
    runtime,
    log,
    addresses,
    chain,
    events,
    ledger,
    pricing,
    delivery: late.delivery,
    unproven: late.unproven,
    orderMaxOf: (account) => clients.limitsOf(account).orderMax,
    onFinal: [
      (tx, final) => late.agent().onFinal(tx, final),
      ...(options.orderTraces ? [options.orderTraces.onFinal] : []),
    ],
    onBought: options.orderTraces?.onBought,
  })
  const delivery: Delivery = createDelivery({
    db,
    runtime,
    log,
    chain,
    ledger,
    signing,
    providers,
    onOutcome: [orders.onOutcome],
    onTakenBack: [orders.onTakenBack],
    onStanding: autoenergy.wake,
    onStray: autoenergy.bars.onStray,
    isSelling: async (tx) => late.unproven() === undefined && (await orders.selling(tx)).enabled,
  })
  const treasury: Treasury = createTreasury({
    db,
    runtime,
    log,
    addresses,
    chain: late.chain,
    delivery,
    deposits,
    ledger,
    providers,
    signing,
  })
  const agent: Agent = createAgent({
    db,
    runtime,
    log,
    addresses,
    chain,
    deposits,
    events,
    ledger,
    orders,
    pricing,
    referralCodeOf: accounts.referralCodeOf,
  })
  const audit: Audit = createAudit({
    db,
    books: options.books ?? db,
    runtime,
    log,
    orders,
    autoenergy,
  })
  const books = createBooks({ db, runtime, log })
  const statements = createStatements({
    db,
    runtime,
    log,
    ledger,
    providers,
    toppedUp: (tx, provider) => late.treasury().toppedUp(tx, provider),
  })
  const staking: Staking = createStaking({
    db,
    runtime,
    log,
    chain,
    deposits,
    ledger,
    signing,
    claimMin: options.claimMin,
    onDone: () => providers.pollLoop.wake(),
  })
  const dailySummary = createDailySummary({ db, runtime, log, events, ledger, orders })
  const terms = createTerms({ db, runtime, texts: options.texts ?? [] })
  const invoices = createInvoices({
    db,
    clock: runtime.clock,
    ledger,
    issuer: options.issuer ?? NO_ISSUER,
    particulars: createParticulars({ db, clock: runtime.clock }),
  })
  const mail = createMail({ db, runtime, log, options: options.mail })
  const webhooks = createWebhooks({
    db,
    runtime,
    log,
    events,
    accounts,
    cursorSecret: ledger.cursorSecret,
    deposits,
    mail,
    options: options.webhooks,
  })
  const chat = createChat({ db, runtime, log, events, options: options.chat ?? {} })
  const notes = createNotes({ db, runtime })
  const publicStatus: Status = createStatus({
    db,
    runtime,
    log,
    evidence: () => operator.evidence(),
  })
  const operator: Operator = createOperator({
    db,
    runtime,
    accounts,
    addresses,
    agent,
    audit,
    autoenergy,
    books,
    chain,
    clients,
    delivery,
    deposits,
    events,
    invoices,
    ledger,
    orders,
    pricing,
    providers,
    signing,
    stakeCosts,
    statements,
    staking,
    terms,
    treasury,
    webhooks,
    notes,
    publicStatus,
    apiSilentMs: () => apiSilentMs(db),
    adjustmentLimit: options.adjustmentLimit ?? ADJUSTMENT_LIMIT,
  })
  return {
    accounts,
    addresses,
    agent,
    audit,
    authenticator,
    autoenergy,
    books,
    chain,
    chat,
    clients,
    dailySummary,
    delivery,
    deposits,
    events,
    invoices,
    housekeeping: createHousekeeping({ db, clock: runtime.clock, log }, RETENTION),
    ledger,
    mail,
    notes,
    operator,
    orders,
    pricing,
    providers,
    publicStatus,
    signing,
    stakeCosts,
    statements,
    staking,
    /** Wakes the signer for what other processes ask of it, which does not look by itself each second. */
    signerLoop: createLoop({
      name: 'signing.wake',
      everyMs: 1_000,
      due: SIGNER_WANTED,
      log,
      work: async () => {
        signing.wake()
        return 0
      },
    }),
    /** Moves the checkpoint of what we owe. */
    sums: createSumLoop({ db, runtime, log }),
    terms,
    treasury,
    webhooks,
    usdtContract: toHex(options.usdtContract ?? MAINNET_USDT) satisfies HexAddress,
  }
}

export type Rooms = ReturnType<typeof createRooms>
