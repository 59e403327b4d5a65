/** Why something of the client's stopped, in words. */

const OWNER = 'by its owner'

export const pausedWords = (reason: string) => PAUSED[reason] ?? reason
const PAUSED: Record<string, string> = {
  user: 'You paused it.',
  insufficient_balance: 'Your balance did not cover a sale. Top up, then resume.',
  admin: 'Support paused it. Write to us.',
}

export const closedWords = (reason: string) => CLOSED[reason] ?? reason
const CLOSED: Record<string, string> = {
  quota: 'Its number of transfers was used up.',
  expired: 'Its term has ended.',
  idle: 'It was idle for as long as you allowed.',
  insufficient_balance: 'Your balance was too low.',
  manual: 'You closed it.',
  account_blocked: 'Your account was blocked. Once it is not, reactivate it.',
  energy_used_by_others:
    'Others used its Energy, by a contract of the address. You can cover it again in 30 days.',
  activation_failed: 'The Energy could not be delivered; you got the fee back.',
}

export const disabledWords = (reason: string) => (reason === OWNER ? 'You turned it off.' : reason)

/** What the client did on purpose needs no attention. */
export const isOwnChoice = (reason: string | null) =>
  reason === 'user' || reason === 'manual' || reason === OWNER
