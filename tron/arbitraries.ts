import fc from 'fast-check'
import type {
  AbiEntry,
  AbiParameter,
  Contract,
  ContractType,
  ContractValues,
  NewContract,
  Permission,
} from './contracts.ts'
import type { RawTransaction } from './transaction.ts'

// Arbitraries of the property tests: values in normal form, where an optional field is either
// absent or not its default.

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
export const hexBytes = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map(hexOf)

export const address = hexBytes(20).map((hex) => `41${hex}`)
export const privateKey = fc
  .bigInt({ min: 1n, max: 2n ** 255n })
  .map((n) => n.toString(16).padStart(64, '0'))

const int64Max = 2n ** 63n - 1n

/**
 * Amounts. The reference implementation, TronWeb, takes JavaScript numbers only, so it gets safe
 * ones.
 */
export type Range = { max: bigint }
export const safe: Range = { max: BigInt(Number.MAX_SAFE_INTEGER) }
export const whole: Range = { max: int64Max }

const positive = ({ max }: Range) => fc.bigInt({ min: 1n, max })
const resource = fc.constantFrom('BANDWIDTH' as const, 'ENERGY' as const)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

/** Drops the keys drawn as undefined: a default is always represented by absence. */
function present<T>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T
}

function permission(range: Range, type: Permission['type']): fc.Arbitrary<Permission> {
  const keys = fc.array(fc.record({ address, weight: positive(range) }), {
    minLength: 1,
    maxLength: 5,
  })
  return fc
    .record({
      type: fc.constant(type === 'Owner' ? undefined : type),
      id: maybe(fc.integer({ min: 1, max: 9 })),
      permission_name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 32 }),
      threshold: positive(range),
      operations: type === 'Active' ? hexBytes(32) : fc.constant(undefined),
      keys,
    })
    .map((drawn) => present<Permission>(drawn))
}

function newContract(range: Range): fc.Arbitrary<NewContract> {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 32 })
  const parameter = fc
    .record({ indexed: maybe(fc.constant(true)), name: maybe(name), type: maybe(name) })
    .map((drawn) => present<AbiParameter>(drawn))
  const entry = fc
    .record({
      constant: maybe(fc.constant(true)),
      name: maybe(name),
      inputs: fc.array(parameter, { maxLength: 3 }),
      outputs: fc.array(parameter, { maxLength: 3 }),
      type: maybe(fc.constantFrom('Constructor' as const, 'Function' as const, 'Event' as const)),
      payable: maybe(fc.constant(true)),
      stateMutability: maybe(fc.constantFrom('View' as const, 'Payable' as const)),
    })
    .map((drawn) => present<AbiEntry>(drawn))
  return fc
    .record({
      origin_address: address,
      abi: fc.array(entry, { maxLength: 3 }).map((entrys) => ({ entrys })),
      bytecode: hexBytes(1, 200),
      call_value: maybe(positive(range)),
      consume_user_resource_percent: maybe(fc.bigInt({ min: 1n, max: 100n })),
      name: maybe(name),
      origin_energy_limit: positive(range),
    })
    .map((drawn) => present<NewContract>(drawn))
}

export function contractValues(range: Range): {
  [T in ContractType]: fc.Arbitrary<ContractValues[T]>
} {
  const owner_address = address
  const amount = positive(range)
  return {
    AccountCreateContract: fc.record({ owner_address, account_address: address }),
    TransferContract: fc.record({ owner_address, to_address: address, amount }),
    TriggerSmartContract: fc
      .record({
        owner_address,
        contract_address: address,
        call_value: maybe(amount),
        data: hexBytes(0, 200),
        call_token_value: maybe(amount),
        token_id: maybe(amount),
      })
      .map((drawn) => present<ContractValues['TriggerSmartContract']>(drawn)),
    // TronWeb does not write `support`, which nobody reads.
    VoteWitnessContract: fc.record({
      owner_address,
      votes: fc.array(fc.record({ vote_address: address, vote_count: amount }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
    AccountUpdateContract: fc.record({ account_name: hexBytes(1, 32), owner_address }),
    WithdrawBalanceContract: fc.record({ owner_address }),
    CreateSmartContract: fc
      .record({
        owner_address,
        new_contract: newContract(range),
        call_token_value: maybe(amount),
        token_id: maybe(amount),
      })
      .map((drawn) => present<ContractValues['CreateSmartContract']>(drawn)),
    AccountPermissionUpdateContract: fc
      .record({
        owner_address,
        owner: permission(range, 'Owner'),
        witness: maybe(permission(range, 'Witness')),
        actives: fc.array(permission(range, 'Active'), { minLength: 1, maxLength: 3 }),
      })
      .map((drawn) => present<ContractValues['AccountPermissionUpdateContract']>(drawn)),
    FreezeBalanceV2Contract: fc.record({ owner_address, frozen_balance: amount, resource }),
    UnfreezeBalanceV2Contract: fc.record({ owner_address, unfreeze_balance: amount, resource }),
    WithdrawExpireUnfreezeContract: fc.record({ owner_address }),
    DelegateResourceContract: fc
      .record({
        owner_address,
        resource,
        balance: amount,
        receiver_address: address,
        lock: maybe(fc.constant(true)),
        lock_period: maybe(amount),
      })
      // TronWeb writes a period only with a lock, as every sensible caller does.
      .map(({ lock_period, ...drawn }) =>
        present<ContractValues['DelegateResourceContract']>({
          ...drawn,
          lock_period: drawn.lock ? lock_period : undefined,
        }),
      ),
    UnDelegateResourceContract: fc.record({
      owner_address,
      resource,
      balance: amount,
      receiver_address: address,
    }),
    CancelAllUnfreezeV2Contract: fc.record({ owner_address }),
  }
}

function contractOf(range: Range): fc.Arbitrary<Contract> {
  const values = Object.entries(contractValues(range)) as [ContractType, fc.Arbitrary<object>][]
  return fc
    .oneof(...values.map(([type, value]) => fc.record({ type: fc.constant(type), value })))
    .chain((contract) =>
      maybe(fc.integer({ min: 2, max: 9 })).map((permissionId) =>
        present<Contract>({ ...contract, permissionId } as Contract),
      ),
    )
}

const time = fc.integer({ min: 1_500_000_000_000, max: 2_000_000_000_000 })

export function rawTransactionOf(range: Range): fc.Arbitrary<RawTransaction> {
  return fc.record({
    contract: contractOf(range),
    refBlockBytes: hexBytes(2),
    refBlockHash: hexBytes(8),
    expiration: time,
    timestamp: time,
    feeLimit: fc.oneof(fc.constant(0n), positive(range)),
    data: fc.oneof(fc.constant(''), hexBytes(1, 64)),
  })
}
