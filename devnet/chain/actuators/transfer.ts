import { type ContractValues, isHexAddress } from '@ergon/tron'
import { newAccount } from '../account.ts'
import { burn, type Ground } from '../bandwidth.ts'
import { fees } from '../parameters.ts'
import { ensure } from '../refusal.ts'
import type { SystemOutcome } from './outcome.ts'

const int64Max = 2n ** 63n - 1n

export function transfer(
  { tables, timestamp }: Ground,
  { owner_address, to_address, amount }: ContractValues['TransferContract'],
): SystemOutcome {
  ensure(isHexAddress(owner_address), 'Invalid ownerAddress!')
  ensure(isHexAddress(to_address), 'Invalid toAddress!')
  ensure(owner_address !== to_address, 'Cannot transfer TRX to yourself.')
  const owner = tables.accounts.get(owner_address)
  ensure(owner !== undefined, 'Validate TransferContract error, no OwnerAccount.')
  ensure(amount > 0n, 'Amount must be greater than 0.')
  const existing = tables.accounts.get(to_address)
  const fee = existing ? 0n : fees.accountSun
  ensure(existing?.kind !== 'Contract', 'Cannot transfer TRX to a smartContract.')
  ensure(
    owner.balance >= amount + fee,
    'Validate TransferContract error, balance is not sufficient.',
  )
  const to = existing ?? newAccount(timestamp)
  ensure(to.balance + amount <= int64Max, 'long overflow')
  tables.accounts.set(owner_address, { ...owner, balance: owner.balance - amount - fee })
  tables.accounts.set(to_address, { ...to, balance: to.balance + amount })
  burn(tables, fee)
  return { fee }
}

export function createAccount(
  { tables, timestamp }: Ground,
  { owner_address, account_address }: ContractValues['AccountCreateContract'],
): SystemOutcome {
  ensure(isHexAddress(owner_address), 'Invalid ownerAddress')
  const owner = tables.accounts.get(owner_address)
  ensure(owner !== undefined, `Account[${owner_address}] not exists`)
  const fee = fees.accountSun
  ensure(owner.balance >= fee, 'Validate CreateAccountActuator error, insufficient fee.')
  ensure(isHexAddress(account_address), 'Invalid account address')
  ensure(tables.accounts.get(account_address) === undefined, 'Account has existed')
  tables.accounts.set(owner_address, { ...owner, balance: owner.balance - fee })
  tables.accounts.set(account_address, newAccount(timestamp))
  burn(tables, fee)
  return { fee }
}
