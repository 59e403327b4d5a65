import { addresses, type Case, PAST, plantPayments, RECEIVER, txidOf, uuids } from './plant.ts'

export const resale: Case[] = [
  {
    loop: 'agent.decide',
    kind: 'payment',
    plant: (world) => plantPayments(world, { status: 'processing', try_after: PAST }),
    poison: { when: 'update', table: 'agent.payment', column: 'id' },
    left: `select id from agent.payment where status = 'processing'`,
    clean: 'agent.config, agent.payment',
  },
  {
    loop: 'agent.finish',
    kind: 'solid payment',
    plant: (world) =>
      plantPayments(world, { status: 'skipped', skip_reason: 'paused', decided_at: PAST }),
    poison: { when: 'update', table: 'agent.payment', column: 'id' },
    left: 'select id from agent.payment where final_at is null',
    clean: 'agent.config, agent.payment',
  },
  {
    loop: 'agent.watchPrices',
    kind: 'configuration',
    async plant({ account, many, plant }) {
      const keys = uuids(many)
      const word = (n: number) => String(n + 1_001).replaceAll('0', 'x')
      const of = { account_id: account, mode: 'own', status: 'active', max_units: '1' }
      const price = { energy_per_unit: '65000', base_payment_sun: '1000' }
      await plant(
        'agent.config',
        keys.map((id, n) => ({
          ...of,
          ...price,
          id,
          public_id: word(n).padStart(22, '1'),
          address: `T${word(n).padStart(33, '1')}`,
        })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'agent.config', column: 'id' },
    left: 'select id from agent.config where not at_risk',
    clean: 'agent.config',
  },
  {
    loop: 'autoenergy.settle',
    kind: 'subscription',
    async plant({ account, many, plant }) {
      const keys = uuids(many)
      const at = addresses(many)
      const closed = { status: 'closed', closed_at: PAST, close_reason: 'user', live: 'true' }
      await plant(
        'autoenergy.subscription',
        keys.map((id, n) => ({
          ...closed,
          id,
          account_id: account,
          address: at[n]!,
          idle_hours: '24',
        })),
      )
      await plant(
        'delivery.standing',
        at.map((address) => ({ address, wanted: '0', look: 'false' })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'autoenergy.subscription', column: 'id' },
    left: 'select id from autoenergy.subscription where live',
    clean: 'autoenergy.subscription, delivery.standing',
  },
  {
    loop: 'autoenergy.finish',
    kind: 'solid call',
    async plant({ account, many, plant }) {
      const keys = uuids(many).map(txidOf)
      const of = { account_id: account, address: RECEIVER, state: 'ignored', block_number: '1' }
      await plant(
        'autoenergy.call',
        keys.map((txid) => ({ ...of, txid })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'autoenergy.call', column: 'txid' },
    left: 'select txid as id from autoenergy.call where not final',
    clean: 'autoenergy.call',
  },
]
