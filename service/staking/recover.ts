import { type DecodedTransaction, type TransactionInfo, toBase58 } from '@ergon/tron'
import type { Tx } from '../db/index.ts'
import { type Booked, isStakeAction, stakeMoveOf, type ToBookRow } from '../signing/index.ts'
import type { Action, StakedResource } from './plan.ts'
import { insertRecovered, operationOf } from './recover.sql.ts'
import { bookMined, endOf, movesOf, type SendingDeps } from './sending.ts'
import { textOfVotes } from './votes.ts'

const ACTIONS = new Map<string, Action>([
  ['FreezeBalanceV2Contract', 'freeze'],
  ['UnfreezeBalanceV2Contract', 'unfreeze'],
  ['WithdrawExpireUnfreezeContract', 'withdraw'],
  ['CancelAllUnfreezeV2Contract', 'cancel_unfreeze'],
  ['VoteWitnessContract', 'vote'],
  ['WithdrawBalanceContract', 'claim'],
])

/** Whether a transaction of this kind is one that this room asks for. */
export const isStakeContract = (contract: string) => ACTIONS.has(contract)

type Seen = { found: ToBookRow; transaction: DecodedTransaction; receipt: TransactionInfo }

/**
 * Books what our stakes have done by the chain and these books do not know: a database that went back in
 * time. The open operation that it fits is done by it, and never a second time; else it gets a row.
 */
export function createStakeRecovery(deps: SendingDeps) {
  const { db, runtime, chain, ledger, signing } = deps

  async function see(found: ToBookRow): Promise<Seen | undefined> {
    const [block] = (await chain.blocks(Number(found.block), Number(found.block))) ?? []
    const place = block?.transactions.findIndex(({ txId }) => txId === found.txid) ?? -1
    if (!block || place < 0) return undefined
    const transaction = block.transactions[place]!
    // A block's receipts are read only where a contract was called.
    const receipt = await chain.node.getSolidTransactionInfo(found.txid)
    return receipt && { found, transaction, receipt }
  }

  async function book(tx: Tx, { found, transaction, receipt }: Seen): Promise<string> {
    const action = ACTIONS.get(found.contract)!
    const stake = toBase58(found.address)
    const { contract } = transaction
    const { amountSun = null, resource = null } =
      contract.type === 'unknown' ? {} : stakeMoveOf(contract)
    const votes =
      contract.type === 'VoteWitnessContract'
        ? contract.value.votes.map((one) => ({
            witness: toBase58(one.vote_address),
            count: one.vote_count,
          }))
        : []
    const what = [stake, action, amountSun, resource as StakedResource | null, textOfVotes(votes)]
    const [known] = await tx.query(operationOf, [found.txid, ...what, found.minedAt])
    const id = known?.id ?? runtime.ids.next()
    const attempt = known?.attempt ?? 1n
    const as = known ? `operation ${id}: ${action}` : `${action} without an operation`
    const payout = { id, attempt: Number(attempt) }
    // Under another id than in the signer's file nobody would know it: a person names it then.
    const isNamed = known !== undefined && isStakeAction(action)
    const booked: Booked = { txid: found.txid, as, ...(isNamed && { payout }) }
    // Another run has booked it meanwhile.
    if ((await signing.recovery.book(tx, [booked])).size === 0) return as
    if (known) await bookMined(tx, deps, { id, action, receipt })
    else {
      const end = [...endOf(action, receipt), runtime.clock.now()]
      await tx.query(insertRecovered, [id, ...what, found.minedAt, ...end])
      await ledger.transfer(tx, movesOf(action, receipt))
    }
    return as
  }

  /** Returns what was made of each; the others a node does not show yet. */
  return async (page: readonly ToBookRow[]): Promise<Map<string, string>> => {
    const told = new Map<string, string>()
    for (const found of page) {
      const seen = await see(found)
      if (!seen) throw new Error(`The node has no receipt of ${found.txid} yet.`)
      told.set(found.txid, await db.transaction((tx) => book(tx, seen)))
    }
    return told
  }
}
