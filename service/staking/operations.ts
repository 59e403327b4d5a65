import { type StakeAction, stakeApprovalText } from '@ergon/contract/approval.ts'
import { type HexAddress, toBase58 } from '@ergon/tron'
import type { Chain } from '../chain/index.ts'
import type { Db, Tx } from '../db/index.ts'
import { behindChain, type Deposits, minedFor, troubleWithApproval } from '../deposits/index.ts'
import { operatorName } from '../identity/index.ts'
import type { Runtime } from '../kernel/index.ts'
import { type Approval, isStakeAction, type Signing } from '../signing/index.ts'
import {
  type Act,
  type Action,
  type Ground,
  type Plan,
  planOf,
  type StakedResource,
} from './plan.ts'
import { readStake } from './stake.ts'
import {
  approveOperation,
  beginCancelling,
  dropOperation,
  endStanding,
  findOperation,
  insertOperation,
  listOperations,
  lockOperation,
  type OperationRow,
  openOperation,
  putStanding,
  readStanding,
  tryOperationAgain,
} from './store.ts'
import { divided, sharesOf, textOfVotes, type Vote, votesOfText } from './votes.ts'

export type StakingDeps = {
  db: Db
  runtime: Runtime
  chain: Chain
  deposits: Pick<Deposits, 'payouts'>
  signing: Signing
}

/** What an operator wants. */
export type StakeWish = {
  /** Empty: the only stake there is. */
  stake: string
  action: Action
  amount?: bigint | undefined
  resource?: StakedResource | undefined
  /** Witnesses with their shares of all votes, such as `TWitness=2`. */
  shares?: readonly string[] | undefined
  /** Vote so again whenever the stake has grown. */
  isStanding?: boolean | undefined
}

export type StakingResponse = { id: string } | { refused: string }

/** `shown`: the state with the steps of a transaction. `signed`: attempts that the signer has signed. */
export type ListedOperation = Omit<OperationRow, 'votes'> & {
  votes: Vote[]
  shown: OperationRow['state'] | 'signing' | 'broadcast'
  needsApproval: boolean
  approvals: { by: string; key: string; ends: Date }[]
  signed: { attempt: bigint; txid: string }[]
}

type Considered = { act: Act; stake: string; shares: Vote[]; coversUntil: Date | null; plan: Plan }

/** The default of java-tron's parameter, where a node does not name it. */
const DELAY_DAYS = 14n
const APPROVALS = 2

/** Numbers of the chain for an act now; undefined for a stake that is not on it. */
export async function groundOf(
  { db, chain, runtime, signing }: StakingDeps,
  owner: HexAddress,
): Promise<Ground | undefined> {
  const now = runtime.clock.now()
  const [read, parameters, ours] = await Promise.all([
    readStake(chain, owner, now),
    chain.node.getChainParameters(),
    db.transaction((tx) => signing.outflows.treasury(tx)),
  ])
  const delayDays = parameters.get('getUnfreezeDelayDays') ?? DELAY_DAYS
  const permission = ours.find(({ address }) => address === owner)?.permission ?? null
  return read && { read, now, delayDays, permission }
}

/** Operators ask; two approve what moves stake; votes and claims need nobody. */
export function createOperations(deps: StakingDeps) {
  const { db, runtime, chain, signing, deposits } = deps

  async function ownerOf(stake: string): Promise<HexAddress | { refused: string }> {
    const owners = await signing.addresses('stake')
    const [only, second] = owners
    if (!only) return { refused: 'No signer has published a stake yet; start one.' }
    if (stake === '') return second ? { refused: 'There are several stakes: name one.' } : only
    return (
      owners.find((owner) => toBase58(owner) === stake) ?? {
        refused: `${stake} is no stake of ours.`,
      }
    )
  }

  async function consider(wish: StakeWish): Promise<Considered | { refused: string }> {
    const owner = await ownerOf(wish.stake.trim())
    if (typeof owner !== 'string') return owner
    const ground = await groundOf(deps, owner)
    if (!ground) return { refused: 'This stake is not on the chain yet: send TRX to it.' }
    const { read, now } = ground
    const shares = wish.action === 'vote' ? sharesOf(wish.shares ?? []) : []
    if (typeof shares === 'string') return { refused: shares }
    const hasAmount = wish.action === 'freeze' || wish.action === 'unfreeze'
    const act: Act = {
      action: wish.action,
      amount: hasAmount ? (wish.amount ?? null) : null,
      resource: hasAmount ? (wish.resource ?? 'ENERGY') : null,
      votes: shares.length > 0 ? divided(read.stake.power, shares) : [],
    }
    const due = read.unlocks.filter(({ at }) => at <= now).map(({ at }) => at.getTime())
    const coversUntil =
      wish.action === 'withdraw' && due.length > 0 ? new Date(Math.max(...due)) : null
    return { act, stake: read.stake.address, shares, coversUntil, plan: planOf(act, ground) }
  }

  type Said = { reason: string; by: string; isStanding?: boolean | undefined }

  /** Undefined: the same is open already. */
  async function insert(
    tx: Tx,
    { act, stake, coversUntil, shares }: Omit<Considered, 'plan'>,
    { reason, by, isStanding }: Said,
  ): Promise<string | undefined> {
    const { action, amount, resource, votes } = act
    const now = runtime.clock.now()
    const state = isStakeAction(action) ? 'requested' : 'approved'
    const what = [stake, action, amount, resource, textOfVotes(votes)]
    const id = runtime.ids.next()
    const said = [reason, by, now, coversUntil, state]
    const [row] = await tx.query(insertOperation, [id, ...what, ...said])
    if (!row) return undefined
    if (action === 'vote' && isStanding !== undefined) {
      if (isStanding) await tx.query(putStanding, [stake, textOfVotes(shares), by, now])
      else await tx.query(endStanding, [stake])
    }
    return id
  }

  async function withApprovals(rows: OperationRow[]): Promise<ListedOperation[]> {
    if (rows.length === 0) return []
    const of = rows.map(({ id, attempt }) => ({ id, attempt: Number(attempt) }))
    const approvers = await signing.payouts.approvers(of)
    const signed = await signing.payouts.signed(rows.map(({ id }) => id))
    // The scanner writes with each block what it holds, and takes it back with a block that is none any more.
    const sent = await chain.broadcasts.states(rows.flatMap(({ txid }) => txid ?? []))
    const blocks = new Map(sent.map(({ txid, blockNumber }) => [txid, blockNumber]))
    return rows.map((row) => {
      const approvals = approvers
        .filter(({ payout }) => payout === row.id)
        .map(({ by, key, endsAt }) => ({ by, key, ends: endsAt }))
      const own = signed.filter(({ payout }) => payout === row.id)
      const isSigned = own.some(({ txid }) => txid === row.txid)
      const isSent = row.state === 'approved' && row.txid !== null
      const shown = isSent ? (isSigned ? 'broadcast' : 'signing') : row.state
      const needsApproval = isStakeAction(row.action)
      const block = row.block ?? blocks.get(row.txid ?? '') ?? null
      const votes = votesOfText(row.votes)
      return { ...row, votes, block, shown, needsApproval, approvals, signed: own }
    })
  }

  function troubleWith(
    row: OperationRow,
    approval: Approval,
    ground: { chain: string; hot: string },
  ): string | undefined {
    const text = textToApprove(row, { ...ground, ends: approval.ends })
    return troubleWithApproval(approval, { text, what: 'operation', now: runtime.clock.now() })
  }

  async function accept(tx: Tx, row: OperationRow, approvals: { by: string }[]): Promise<void> {
    if (row.state === 'approved') return void (await tx.query(tryOperationAgain, [row.id]))
    // With one the signer would refuse it: there is no destination that makes one enough.
    const names = new Set(approvals.map(({ by }) => by))
    if (names.size >= APPROVALS) await tx.query(approveOperation, [row.id, runtime.clock.now()])
  }

  async function tooLate({ state, signingRequest }: OperationRow): Promise<string | undefined> {
    if (!['requested', 'approved', 'expired'].includes(state)) return `It is ${state} already.`
    const [answer] = signingRequest ? await signing.answers([signingRequest]) : []
    return answer?.state === 'signed'
      ? 'It is signed and may be on the chain; cancel it when its bytes have expired.'
      : undefined
  }

  return {
    /** What would happen, for the person who is about to ask for it. */
    async preview(wish: StakeWish): Promise<(Plan & { act?: Act; stake?: string }) | Plan> {
      const considered = await consider(wish)
      if ('refused' in considered) return considered
      const { plan, act, stake } = considered
      return { ...plan, act, stake }
    },

    async request(wish: StakeWish & { reason: string; by: string }): Promise<StakingResponse> {
      if (wish.reason.trim().length < 3) return { refused: 'An operation needs a reason.' }
      if (!wish.by.trim()) return { refused: 'An operation needs the name of who asks for it.' }
      const considered = await consider(wish)
      if ('refused' in considered) return considered
      const { plan, stake, act } = considered
      if ('refused' in plan) return plan
      const said = {
        reason: wish.reason.trim(),
        by: operatorName(wish.by),
        isStanding: wish.isStanding ?? false,
      }
      const id = await db.transaction((tx) => insert(tx, considered, said))
      if (id) return { id }
      const [open] = await db.query(openOperation, [stake, act.action])
      return {
        refused: `The same is open for this stake: ${open?.id ?? 'look again'}. Stop it first, or wait for its end.`,
      }
    },

    insert,

    async approve(id: string, by: string, approval: Approval): Promise<StakingResponse> {
      if (!by.trim()) return { refused: 'An approval needs a name.' }
      const behind = await behindChain(chain)
      if (behind) return { refused: behind }
      const [now, mined] = await Promise.all([
        deposits.payouts.ground(),
        minedFor(id, { chain, signing }),
      ])
      if (!now) return { refused: 'No signer has published its hot wallet yet; start one.' }
      return db.transaction(async (tx): Promise<StakingResponse> => {
        const [row] = await tx.query(lockOperation, [id])
        if (!row) return { refused: 'There is no operation with this id.' }
        if (!isStakeAction(row.action)) return { refused: `A ${row.action} needs no approval.` }
        if (!['requested', 'approved', 'expired'].includes(row.state)) {
          return { refused: `It is ${row.state}: there is nothing to approve.` }
        }
        if (mined) return { refused: `It is done: transaction ${mined} is on the chain.` }
        const trouble = troubleWith(row, approval, now)
        if (trouble) return { refused: trouble }
        const attempt = { id, attempt: Number(row.attempt) }
        const name = operatorName(by)
        await signing.payouts.approve(tx, attempt, { approval, by: name, at: runtime.clock.now() })
        const given = await signing.payouts.approvers([attempt])
        await accept(tx, row, [...given, { by: name }])
        return { id }
      })
    },

    /** Possible until it is signed. */
    async cancel(id: string, by: string): Promise<StakingResponse> {
      if (!by.trim()) return { refused: 'A cancellation needs a name.' }
      const behind = await behindChain(chain)
      if (behind) return { refused: behind }
      const response = await db.transaction(async (tx): Promise<StakingResponse> => {
        const [row] = await tx.query(lockOperation, [id])
        if (!row) return { refused: 'There is no operation with this id.' }
        const refused = await tooLate(row)
        if (refused) return { refused }
        const at = runtime.clock.now()
        // The signer's file has only what was approved: a vote or a claim ends with its bytes.
        const isOver = row.state === 'requested' || (!isStakeAction(row.action) && !row.txid)
        const next = isOver ? dropOperation : beginCancelling
        await tx.query(next, [id, operatorName(by), at])
        if (isStakeAction(row.action)) await signing.payouts.cancel(tx, id, at)
        return { id }
      })
      signing.wake()
      return response
    },

    find: async (id: string) => (await withApprovals(await db.query(findOperation, [id])))[0],
    /** Newest first. */
    list: async (limit: number) => withApprovals(await db.query(listOperations, [limit])),
    /** The facts that every approval names besides the operation. */
    ground: () => deposits.payouts.ground(),
    async standing() {
      const rows = await db.query(readStanding)
      return rows.map(({ stake, shares, setBy }) => ({ stake, setBy, shares: votesOfText(shares) }))
    },
  }
}

export type Operations = ReturnType<typeof createOperations>

type Approvable = Pick<OperationRow, 'id' | 'stake' | 'action' | 'attempt' | 'amount' | 'resource'>

/** What an approval of it signs. */
export function textToApprove(
  { id, stake, action, attempt, amount, resource }: Approvable,
  of: { chain: string; hot: string; ends: Date },
): string {
  return stakeApprovalText({
    ...of,
    stake,
    operation: id,
    attempt: Number(attempt),
    action: action as StakeAction,
    amountSun: amount ?? undefined,
    resource: resource ?? undefined,
  })
}
