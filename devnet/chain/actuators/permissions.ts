import { type ContractValues, isHexAddress, type Permission } from '@ergon/tron'
import { burn, type Ground } from '../bandwidth.ts'
import { fees, limits } from '../parameters.ts'
import { ensure, InvalidContract, Refusal } from '../refusal.ts'
import type { SystemOutcome } from './outcome.ts'

// Contract types that an active permission may name: mainnet's default active permission and 46,
// the permission update itself.
const availableTypes = '7fff1fc0037efb0f'.padEnd(64, '0')

export function updatePermissions(
  { tables }: Ground,
  value: ContractValues['AccountPermissionUpdateContract'],
): SystemOutcome {
  const { owner_address, owner, witness, actives } = value
  ensure(isHexAddress(owner_address), 'invalidate ownerAddress')
  const account = tables.accounts.get(owner_address)
  ensure(account !== undefined, 'ownerAddress account does not exist')
  ensure(owner !== undefined, 'owner permission is missed')
  if (account.isWitness) ensure(witness !== undefined, 'witness permission is missed')
  else ensure(witness === undefined, "account isn't witness can't set witness permission")
  ensure(actives.length > 0, 'active permission is missed')
  ensure(actives.length <= 8, 'active permission is too many')
  ensure((owner.type ?? 'Owner') === 'Owner', 'owner permission type is error')
  checkPermission(owner)
  if (witness) {
    ensure(witness.type === 'Witness', 'witness permission type is error')
    checkPermission(witness)
  }
  for (const active of actives) {
    ensure(active.type === 'Active', 'active permission type is error')
    checkPermission(active)
  }
  const fee = fees.permissionUpdateSun
  // Not a validation error in java-tron: the balance is only found short while it is taken.
  if (account.balance < fee) {
    throw new Refusal(
      'CONTRACT_EXE_ERROR',
      `Contract execute error : ${owner_address} insufficient balance, balance: ${account.balance}, amount: ${fee}`,
    )
  }
  tables.accounts.set(owner_address, {
    ...account,
    balance: account.balance - fee,
    permissions: {
      owner: withId(owner, 0),
      ...(witness ? { witness: withId(witness, 1) } : {}),
      // The node numbers active permissions by their place, whatever the sender wrote.
      actives: actives.map((active, index) => withId(active, index + 2)),
    },
  })
  burn(tables, fee)
  return { fee }
}

function checkPermission(permission: Permission): void {
  const { type = 'Owner', keys, threshold, permission_name = '', operations = '' } = permission
  ensure(
    keys.length <= limits.signaturesMax,
    `number of keys in permission should not be greater than ${limits.signaturesMax}`,
  )
  ensure(keys.length > 0, "key's count should be greater than 0")
  ensure(type !== 'Witness' || keys.length === 1, "Witness permission's key count should be 1")
  ensure(threshold > 0n, "permission's threshold should be greater than 0")
  ensure(permission_name.length <= 32, "permission's name is too long")
  ensure((permission.parent_id ?? 0) === 0, "permission's parent should be owner")
  ensure(
    new Set(keys.map(({ address }) => address)).size === keys.length,
    `address should be distinct in permission ${type}`,
  )
  let weight = 0n
  for (const key of keys) {
    ensure(isHexAddress(key.address), 'key is not a validate address')
    ensure(key.weight > 0n, "key's weight should be greater than 0")
    weight += key.weight
    ensure(BigInt.asIntN(64, weight) === weight, 'long overflow')
  }
  ensure(
    weight >= threshold,
    `sum of all key's weight should not be less than threshold in permission ${type}`,
  )
  if (type === 'Active') checkOperations(operations)
  else ensure(operations === '', `${type} permission needn't operations`)
}

function checkOperations(operations: string): void {
  ensure(operations.length === 64, 'operations size must 32')
  for (let type = 0; type < 256; type++) {
    if (allows(operations, type) && !allows(availableTypes, type)) {
      throw new InvalidContract(`${type} isn't a validate ContractType`)
    }
  }
}

/** Bit n of byte n/8, counted from the low end of the byte. */
export function allows(operations: string, contractType: number): boolean {
  const at = (contractType >> 3) * 2
  return (
    (Number.parseInt(operations.slice(at, at + 2) || '0', 16) & (1 << (contractType & 7))) !== 0
  )
}

function withId(permission: Permission, id: number): Permission {
  const { id: _given, ...rest } = permission
  return id === 0 ? rest : { ...rest, id }
}
