import { toBase58 } from '@ergon/tron'
import { addresses, type Case, PAST, plantAnswers, RECEIVER, txidOf, uuids } from './plant.ts'

export const treasury: Case[] = [
  {
    loop: 'treasury.follow',
    kind: 'transfer',
    async plant(world) {
      const keys = await plantAnswers(world)
      const transfer = { kind: 'top_up', to_address: RECEIVER, state: 'requested', amount_sun: '1' }
      await world.plant(
        'treasury.transfer',
        keys.map((id) => ({
          ...transfer,
          id,
          provider: id,
          txid: txidOf(id),
          signing_request: id,
        })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'treasury.transfer', column: 'id' },
    left: `select id from treasury.transfer where state = 'requested'`,
    clean: 'treasury.transfer, signing.request',
  },
  {
    loop: 'treasury.plan',
    also: 'arrivals',
    kind: 'top-up',
    async plant({ many, plant }) {
      const keys = uuids(many)
      const ended = { state: 'solid', fee_sun: '0', ended_at: PAST, due_at: PAST }
      const transfer = { kind: 'top_up', to_address: RECEIVER, amount_sun: '1', ...ended }
      await plant(
        'treasury.transfer',
        keys.map((id) => ({ ...transfer, id, provider: id, txid: txidOf(id) })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'treasury.transfer', column: 'id' },
    left: `select id from treasury.transfer where state = 'solid'`,
    clean: 'treasury.transfer',
  },
  {
    // Not low any more: why they waited is removed.
    loop: 'treasury.plan',
    also: 'marketplaces',
    kind: 'float',
    async plant({ many, plant }) {
      const at = addresses(many)
      const subjects = uuids(many)
      const keys = subjects.map((provider) => `top_up ${provider}`)
      const bounds = { floor_sun: '1', ceiling_sun: '10000001', daily_cap_sun: '10000000' }
      await plant(
        'treasury.float',
        subjects.map((provider, n) => ({ ...bounds, provider, deposit_address: at[n]! })),
      )
      await plant(
        'treasury.waiting',
        keys.map((purpose) => ({ purpose, reason: 'a test', since: PAST })),
      )
      return { keys, subjects }
    },
    poison: { when: 'delete', table: 'treasury.waiting', column: 'purpose' },
    left: 'select purpose as id from treasury.waiting',
    clean: 'treasury.float, treasury.waiting',
  },
]

export const staking: Case[] = [
  {
    loop: 'staking.send',
    kind: 'operation',
    async plant(world) {
      const keys = await plantAnswers(world)
      const at = addresses(keys.length)
      const claim = { action: 'claim', state: 'approved', attempt: '1', approved_at: PAST }
      await world.plant(
        'staking.operation',
        keys.map((id, n) => ({
          ...claim,
          id,
          stake: at[n]!,
          reason: 'a test',
          txid: txidOf(id),
          signing_request: id,
        })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'staking.operation', column: 'id' },
    left: `select id from staking.operation where state = 'approved'`,
    clean: 'staking.operation, signing.request',
  },
  {
    // Withdrawals that it proposed and that nothing is left for.
    loop: 'staking.propose',
    kind: 'stake',
    async plant({ app, plant }) {
      const subjects = app.devnet.chain.network.funded.map(({ address }) => address)
      const keys = subjects.map(toBase58)
      await plant(
        'signing.address',
        subjects.map((address, n) => ({ address, purpose: 'stake', position: `${n + 100}` })),
      )
      const proposal = { action: 'withdraw', state: 'requested', requested_by: 'ergon' }
      const ids = uuids(keys.length)
      await plant(
        'staking.operation',
        keys.map((stake, n) => ({ ...proposal, id: ids[n]!, stake, reason: 'a test' })),
      )
      return { keys, subjects }
    },
    poison: { when: 'update', table: 'staking.operation', column: 'stake' },
    left: `select stake as id from staking.operation where state = 'requested'`,
    clean: 'staking.operation, signing.address',
  },
]
