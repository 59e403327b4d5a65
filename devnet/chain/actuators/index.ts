import type { Contract } from '@ergon/tron'
import type { Ground } from '../bandwidth.ts'
import { delegate, undelegate } from './delegate.ts'
import type { SystemOutcome } from './outcome.ts'
import { updatePermissions } from './permissions.ts'
import { cancelAllUnfreeze, freeze, unfreeze, withdrawExpireUnfreeze } from './stake.ts'
import { createAccount, transfer } from './transfer.ts'
import { updateAccount, vote, withdrawReward } from './votes.ts'

export type SystemContract = Exclude<
  Contract,
  { type: 'TriggerSmartContract' | 'CreateSmartContract' }
>

/** Validates and applies a system contract; an InvalidContract leaves the tables half written. */
export function actuate(ground: Ground, contract: SystemContract): SystemOutcome {
  switch (contract.type) {
    case 'TransferContract':
      return transfer(ground, contract.value)
    case 'AccountCreateContract':
      return createAccount(ground, contract.value)
    case 'AccountUpdateContract':
      return updateAccount(ground, contract.value)
    case 'VoteWitnessContract':
      return vote(ground, contract.value)
    case 'WithdrawBalanceContract':
      return withdrawReward(ground, contract.value)
    case 'FreezeBalanceV2Contract':
      return freeze(ground, contract.value)
    case 'UnfreezeBalanceV2Contract':
      return unfreeze(ground, contract.value)
    case 'WithdrawExpireUnfreezeContract':
      return withdrawExpireUnfreeze(ground, contract.value)
    case 'CancelAllUnfreezeV2Contract':
      return cancelAllUnfreeze(ground, contract.value)
    case 'DelegateResourceContract':
      return delegate(ground, contract.value)
    case 'UnDelegateResourceContract':
      return undelegate(ground, contract.value)
    case 'AccountPermissionUpdateContract':
      return updatePermissions(ground, contract.value)
  }
}
