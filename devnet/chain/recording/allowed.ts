import type { Difference } from './pattern.ts'

/** A difference that is meant, and why. `call` and `path` are looked for in its names. */
export type Allowed = {
  reason: string
  call?: RegExp
  path?: RegExp
  /** Both are numbers, and no further apart than this share of the recorded one, or than `units`. */
  share?: number
  units?: number
  /** What each has to say. */
  recorded?: RegExp
  answered?: RegExp
}

const net = 'the recorded network'
const time = 'the seconds between two calls'
const token = 'the recorded token is not USDT: its calls cost less and have no penalty'

export const allowed: Allowed[] = [
  {
    reason: `${net}: its total stake`,
    path: /(^|\.)(Total(Net|Energy)Weight|NetLimit|EnergyLimit)$/,
    share: 0.001,
    units: 2,
  },
  {
    reason: `${net}: used bandwidth is turned into TRX by the total stake`,
    call: /^getcandelegatedmaxsize (bandwidth|no type|after delegating)$/,
    path: /^max_size$/,
    share: 0.0001,
  },
  { reason: time, path: /(net|energy)_window_size$/, share: 0.005 },
  {
    reason: `${net}: its only witness`,
    call: /^listwitnesses$/,
    path: /^witnesses\[0\]\.(voteCount|totalProduced|totalMissed|latestSlotNum|url)$/,
  },
  {
    reason: `${net}: its proposals on prices`,
    call: /^get(energy|bandwidth)prices/,
    path: /^prices$/,
  },
  { reason: `${net}: what was burned before`, call: /^getburntrx$/ },
  {
    reason: `${net}: proposals that mainnet has and it has not`,
    call: /^getchainparameters/,
    path: /\.get(RemoveThePowerOfTheGr|AllowPBFT|AllowShieldedTransaction|ShieldedTransaction\w*)(\.value)?$/,
  },
  {
    reason: `${net}: no shielded transfers and no market, so its default permission lacks 51 to 53`,
    path: /^active_permission\[0\]\.operations$/,
    recorded: /^7fff1fc0033ec30f0/,
    answered: /^7fff1fc0033efb0f0/,
  },
  { reason: 'java-tron 4.8.0 writes 32, mainnet of 2026 more', path: /raw_data\.version$/ },
  { reason: token, call: /^(constant|estimateenergy|trigger view)/, path: /^energy_/ },
  {
    reason: token,
    call: /^trc20 .*: info$/,
    path: /^(fee|receipt\.energy_(fee|usage|usage_total|penalty_total))$/,
  },
  {
    reason: token,
    call: /^trc20 .*: info$/,
    path: /^resMessage$/,
    recorded: /Not enough energy for /,
  },
  {
    reason: `${token}; and its transfer answers true`,
    call: /^(constant transfer|trc20 .*: info)$/,
    path: /^(constant_result|contractResult)\[0\]$/,
    recorded: /0001$/,
  },
  {
    reason: token,
    call: /^getaccount(resource)? (after trc20|of the owner after the return|of the receiver after the return|solidity)$/,
    path: /^(EnergyUsed|account_resource\.energy_usage)$/,
  },
  { reason: token, call: /^getcandelegatedmaxsize after the return$/ },
  {
    reason: token,
    call: /^getcontract(info)?$/,
    path: /^(smart_contract\.)?(abi|bytecode|name|code_hash)|^contract_state/,
  },
  {
    reason: token,
    call: /^getaccount of a contract$/,
    path: /^(account_name|create_time|balance)$/,
  },
]

export function isAllowed(difference: Difference, rule: Allowed): boolean {
  const { call, path, recorded, answered } = difference
  const says = (test: RegExp | undefined, value: unknown) =>
    test === undefined || test.test(String(value))
  return (
    says(rule.call, call) &&
    says(rule.path, path) &&
    says(rule.recorded, recorded) &&
    says(rule.answered, answered) &&
    isNear(rule, recorded, answered)
  )
}

function isNear({ share, units = 0 }: Allowed, recorded: unknown, answered: unknown): boolean {
  if (share === undefined) return true
  if (typeof recorded !== 'number' || typeof answered !== 'number') return false
  return Math.abs(recorded - answered) <= Math.max(units, share * Math.abs(recorded))
}
