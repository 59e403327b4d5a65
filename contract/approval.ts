/**
 * What operators sign: plain lines that a person can read. The console, the commands and the signer
 * make the text from the same facts with these functions, so a signature fits nothing else.
 */
export type PayoutFacts = {
  /** Id of the chain's block 0: an approval for a test network is worth nothing on another. */
  chain: string
  hot: string
  payout: string
  attempt: number
  amountSun: bigint
  to: string
  ends: Date
}

export const STAKE_ACTIONS = ['freeze', 'unfreeze', 'withdraw', 'cancel_unfreeze'] as const
/** What operators do with a stake. The last two concern all that is unfreezing and have no amount. */
export type StakeAction = (typeof STAKE_ACTIONS)[number]

export type StakeFacts = {
  chain: string
  hot: string
  stake: string
  operation: string
  attempt: number
  action: StakeAction
  amountSun?: bigint | undefined
  resource?: string | undefined
  ends: Date
}

/** A change of the signer's own file, which two operators may sign so that it holds at once. */
export type ChangeFacts = { chain: string; hot: string; number: number; change: string }

/** An approval ends at most so long after it is looked at. */
export const APPROVAL_MS_MAX = 24 * 3_600_000

export function approvalText(facts: PayoutFacts): string {
  return lines('Ergon payout approval 1', {
    chain: facts.chain,
    'hot wallet': facts.hot,
    payout: facts.payout,
    attempt: String(facts.attempt),
    'amount in SUN': String(facts.amountSun),
    to: facts.to,
    ends: facts.ends.toISOString(),
  })
}

export function stakeApprovalText(facts: StakeFacts): string {
  const { amountSun, resource } = facts
  return lines('Ergon stake approval 1', {
    chain: facts.chain,
    'hot wallet': facts.hot,
    stake: facts.stake,
    operation: facts.operation,
    attempt: String(facts.attempt),
    action: facts.action,
    ...(amountSun !== undefined && { 'amount in SUN': String(amountSun) }),
    ...(resource !== undefined && { resource }),
    ends: facts.ends.toISOString(),
  })
}

export function changeText({ chain, hot, number, change }: ChangeFacts): string {
  return lines('Ergon signer change 1', {
    chain,
    'hot wallet': hot,
    'number of the change': String(number),
    change,
  })
}

/** A value with a line break could pretend to be the next line. */
function lines(title: string, facts: Record<string, string>): string {
  const named = Object.entries(facts).map(([name, value]) => {
    if (!/^[\x20-\x7e]+$/.test(value)) throw new RangeError(`${name} is not one line of text`)
    return `${name}: ${value}`
  })
  return `${[title, ...named].join('\n')}\n`
}
