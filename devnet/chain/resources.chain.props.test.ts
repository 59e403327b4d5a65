import type { Contract, HexAddress } from '@ergon/tron'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Account } from './account.ts'
import type { Chain } from './chain.ts'
import { addressWord, word } from './contracts/builtIn.ts'
import { createChain } from './createChain.ts'
import { accountResource } from './http/accounts.ts'
import { fundedKeys } from './networkKeys.ts'
import { Refusal } from './refusal.ts'
import { sendAs } from './sender.ts'

// Random sequences of three accounts: stake, delegate (locked or not), use, undelegate, unstake,
// wait. No Energy and no TRX may appear or vanish except by the rules.

const people = fundedKeys.slice(0, 3)
const who = fc.nat(people.length - 1)
const pair = fc.tuple(who, who).filter(([a, b]) => a !== b)
// Mostly one round amount, so that a delegation is often undelegated exactly.
const sun = fc.oneof(
  { weight: 3, arbitrary: fc.constant(10_000_000_000n) },
  fc.bigInt(1_000_000n, 10_000_000_000n),
)
const resource = fc.constantFrom('ENERGY' as const, 'ENERGY' as const, 'BANDWIDTH' as const)

/** Every account starts with some stake, so that the first steps can already use it. */
const genesis = {
  accounts: people.map(({ address }) => ({
    address,
    balance_sun: 1_000_000_000_000,
    usdt: 1_000_000,
    frozen_energy_sun: 40_000_000_000,
    frozen_bandwidth_sun: 10_000_000_000,
  })),
}

type Step = { kind: string; contract?: Contract; from?: number; seconds?: number }

const owned = (from: number, contract: Contract): Step => ({ kind: contract.type, contract, from })
const address = (person: number): HexAddress => people[person]!.address

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(who, sun, resource).map(([from, frozen_balance, resource]) =>
    owned(from, {
      type: 'FreezeBalanceV2Contract',
      value: { owner_address: address(from), frozen_balance, resource },
    }),
  ),
  fc.tuple(who, sun, resource).map(([from, unfreeze_balance, resource]) =>
    owned(from, {
      type: 'UnfreezeBalanceV2Contract',
      value: { owner_address: address(from), unfreeze_balance, resource },
    }),
  ),
  fc.tuple(pair, sun, resource, fc.nat(3)).map(([[from, to], balance, resource, die]) =>
    owned(from, {
      type: 'DelegateResourceContract',
      value: {
        owner_address: address(from),
        receiver_address: address(to),
        balance,
        resource,
        ...(die === 0 ? { lock: true, lock_period: 600n } : {}),
      },
    }),
  ),
  fc.tuple(pair, sun, resource).map(([[from, to], balance, resource]) =>
    owned(from, {
      type: 'UnDelegateResourceContract',
      value: { owner_address: address(from), receiver_address: address(to), balance, resource },
    }),
  ),
  pair.map(([from, to]) =>
    owned(from, {
      type: 'TriggerSmartContract',
      value: {
        owner_address: address(from),
        contract_address: '41adfb4ffe8ccc1b62997adf2f50cca8064951eb03',
        data: `a9059cbb${addressWord(address(to))}${word(1n)}`,
      },
    }),
  ),
  fc.integer({ min: 1, max: 40_000 }).map((seconds) => ({ kind: 'wait', seconds })),
)

/** Sends the step if the chain accepts it, and mines; returns the Energy it used. */
function live(chain: Chain, { contract, from, seconds }: Step): bigint {
  if (seconds) chain.clock.advance(seconds * 1000)
  let txid: string | undefined
  if (contract) {
    try {
      txid = sendAs(chain, people[from!]!.privateKey, contract, { feeLimit: 100_000_000n })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
  chain.mine()
  const receipt = txid && (chain.transaction(txid)!.info.receipt as Record<string, unknown>)
  return receipt ? BigInt((receipt.energy_usage as bigint | undefined) ?? 0n) : 0n
}

function accounts(chain: Chain): Account[] {
  const { tables } = chain.viewAt(chain.head.number)
  return people.map((person) => tables.accounts.get(person.address)!)
}

function sum<T>(items: Iterable<T>, of: (item: T) => bigint): bigint {
  let total = 0n
  for (const item of items) total += of(item)
  return total
}

/** All TRX: balances, stake, delegated stake, stake being withdrawn, and burned. */
function supply(chain: Chain): bigint {
  const { tables } = chain.viewAt(chain.head.number)
  const held = sum(
    tables.accounts.entries(),
    ([, { balance, frozen, delegated, unfreezing }]) =>
      sum([balance, ...Object.values(frozen), ...Object.values(delegated)], (part) => part) +
      sum(unfreezing, ({ amount }) => amount),
  )
  return held + (tables.totals.get('burned') ?? 0n)
}

function energyUsed(chain: Chain): bigint {
  const view = chain.viewAt(chain.head.number)
  return sum(accounts(chain), (account) =>
    BigInt((accountResource(view, account).EnergyUsed as number | undefined) ?? 0),
  )
}

/** Compares getaccountresource with tron.md 4.1 and 4.5, computed from the state. */
function expectFigures(chain: Chain): void {
  const view = chain.viewAt(chain.head.number)
  const weight = Number(view.tables.totals.get('energyWeight'))
  const netWeight = Number(view.tables.totals.get('netWeight'))
  for (const account of accounts(chain)) {
    const shown = accountResource(view, account)
    const energyStake = Number(account.frozen.ENERGY + account.acquired.ENERGY)
    const netStake = Number(account.frozen.BANDWIDTH + account.acquired.BANDWIDTH)
    expect(shown.EnergyLimit ?? 0).toBe(Math.trunc((energyStake / 1e6) * (180e9 / weight)))
    expect(shown.NetLimit ?? 0).toBe(Math.trunc((netStake / 1e6) * (43.2e9 / netWeight)))
    expect(shown.TotalEnergyWeight).toBe(weight)
    for (const value of Object.values(shown)) expect(value).toBeGreaterThan(0)
    expect(Number(shown.freeNetUsed ?? 0)).toBeLessThanOrEqual(600)
  }
}

function expectLoansBalance(chain: Chain): void {
  const { tables } = chain.viewAt(chain.head.number)
  for (const resource of ['ENERGY', 'BANDWIDTH'] as const) {
    const lent = sum(accounts(chain), ({ delegated }) => delegated[resource])
    const borrowed = sum(accounts(chain), ({ acquired }) => acquired[resource])
    const written = sum(tables.delegations.entries(), ([, { balance }]) => balance[resource])
    expect(lent).toBe(borrowed)
    expect(lent).toBe(written)
  }
}

test('no Energy and no TRX is made or lost, whatever three accounts do', () => {
  const taken = new Set<string>()
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 50, size: 'max' }), (steps) => {
      const chain = createChain({ now: () => 1_700_000_000_000, solidLag: 0, genesis })
      const trx = supply(chain)
      for (const one of steps) {
        const before = energyUsed(chain)
        const energy = live(chain, one)
        const after = energyUsed(chain)
        // java-tron rounds in each account. Time passes only in the waits, where Energy can only
        // recover.
        expect(after).toBeLessThanOrEqual(before + energy + 4n)
        if (one.kind !== 'wait') expect(after).toBeGreaterThanOrEqual(before + energy - 4n)
        expect(supply(chain)).toBe(trx)
        if (chain.head.txids.length > 0) taken.add(energy > 0n ? 'uses staked Energy' : one.kind)
        expectFigures(chain)
        expectLoansBalance(chain)
      }
      chain.clock.advance(86_400_000)
      chain.mine()
      expect(energyUsed(chain)).toBe(0n)
    }),
    { numRuns: 50 },
  )
  // The sequences were not trivial: the chain accepted every kind of step at least once.
  expect([...taken]).toEqual(
    expect.arrayContaining([
      'FreezeBalanceV2Contract',
      'UnfreezeBalanceV2Contract',
      'DelegateResourceContract',
      'UnDelegateResourceContract',
      'uses staked Energy',
    ]),
  )
})

test('one day of Energy is sold at most once: what a receiver used is not lent again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), (uses) => {
      const chain = createChain({ now: () => 1_700_000_000_000, solidLag: 0 })
      const [owner, first, second] = [people[0]!, people[1]!, people[2]!]
      const stake = 70_000_000_000n
      const own = { owner_address: owner.address }
      const lend = (receiver_address: string, balance = stake): Contract => ({
        type: 'DelegateResourceContract',
        value: { ...own, receiver_address, balance, resource: 'ENERGY' },
      })
      const send = (key: typeof owner, contract: Contract) => {
        sendAs(chain, key.privateKey, contract, { feeLimit: 100_000_000n })
        chain.mine()
      }
      send(owner, {
        type: 'FreezeBalanceV2Contract',
        value: { ...own, frozen_balance: stake, resource: 'ENERGY' },
      })
      send(owner, lend(first.address))
      for (let i = 0; i < uses; i++) {
        send(first, {
          type: 'TriggerSmartContract',
          value: {
            owner_address: first.address,
            contract_address: chain.network.usdt,
            data: `a9059cbb${addressWord(second.address)}${word(1n)}`,
          },
        })
      }
      send(owner, {
        type: 'UnDelegateResourceContract',
        value: { ...own, receiver_address: first.address, balance: stake, resource: 'ENERGY' },
      })
      const used = 64_285n * BigInt(uses)
      expect(energyUsed(chain)).toBeGreaterThanOrEqual(used - 10n)
      expect(() => send(owner, lend(second.address))).toThrow('available FreezeEnergyV2 balance')
      chain.clock.advance(86_400_000)
      chain.mine()
      send(owner, lend(second.address))
    }),
    { numRuns: 9 },
  )
})
