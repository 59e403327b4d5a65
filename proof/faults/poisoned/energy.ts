import { toBase58, toHex } from '@ergon/tron'
import { SOLID_LAG } from '../../testing/solidLag.ts'
import { until } from '../../testing/until.ts'
import {
  addresses,
  type Case,
  OWNER,
  PAST,
  plantParts,
  RECEIVER,
  STAY,
  soon,
  txidOf,
  uuids,
} from './plant.ts'

export const delivery: Case[] = [
  {
    loop: 'delivery.takenBack',
    kind: 'reclaim',
    async plant(world) {
      const keys = uuids(world.many)
      const owners = addresses(world.many)
      await world.plant(
        'delivery.foreign_reclaim',
        keys.map((txid, at) => ({
          txid,
          owner_address: owners[at]!,
          receiver_address: RECEIVER,
          stake_sun: '1',
          block_number: '0',
          reclaimed_at: PAST,
        })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'delivery.foreign_reclaim', column: 'txid' },
    left: 'select txid as id from delivery.foreign_reclaim where decided_at is null',
    clean: 'delivery.foreign_reclaim',
  },
  {
    loop: 'delivery.place',
    kind: 'part',
    async plant(world) {
      const keys = uuids(world.many)
      await plantParts(world, keys, { state: 'open', provider: 'own_stake' })
      return { keys }
    },
    poison: { when: 'update', table: 'delivery.part', column: 'id' },
    left: `select id from delivery.part where state = 'open'`,
    clean: 'delivery.request',
  },
  {
    loop: 'delivery.conclude',
    kind: 'attempt',
    async plant(world) {
      const keys = uuids(world.many)
      await plantParts(world, keys, { state: 'trying', provider: 'own_stake' })
      const attempt = { provider: 'own_stake', state: 'sent', energy: '1000' }
      const times = { expires_at: soon(world), created_at: PAST }
      await world.plant(
        'delivery.attempt',
        keys.map((id) => ({ ...attempt, ...times, id, part_id: id, txid: txidOf(id) })),
      )
      await world.plant(
        'delivery.delegation',
        keys.map((id) => ({
          attempt_id: id,
          txid: txidOf(id),
          provider: 'own_stake',
          energy: '1000',
          block_number: '1',
          reclaim_at: soon(world),
        })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'delivery.request', column: 'id' },
    left: `select id from delivery.request where state = 'open'`,
    clean: 'delivery.request, delivery.delegation',
  },
  {
    loop: 'delivery.conclude',
    also: 'refunds of what is overdue',
    kind: 'request',
    async plant({ many, plant }) {
      const keys = uuids(many)
      const request = { ...STAY, state: 'open', deadline_at: PAST }
      await plant(
        'delivery.request',
        keys.map((id) => ({ ...request, id })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'delivery.request', column: 'id' },
    left: `select id from delivery.request where state = 'open'`,
    clean: 'delivery.request',
  },
  {
    loop: 'delivery.reclaim',
    kind: 'delegation',
    async plant({ many, plant }) {
      const keys = uuids(many).map(txidOf)
      const of = { provider: 'own_stake', owner_address: OWNER, receiver_address: RECEIVER }
      const stake = { stake_sun: '1000000', block_number: '1', reclaim_at: PAST }
      await plant(
        'delivery.delegation',
        keys.map((txid) => ({ ...of, ...stake, txid })),
      )
      return { keys }
    },
    poison: { when: 'update', table: 'delivery.delegation', column: 'txid' },
    left: 'select txid as id from delivery.delegation where reclaim_txid is null',
    clean: 'delivery.delegation, signing.request',
  },
  {
    loop: 'delivery.fees',
    kind: 'block',
    async plant({ app, few, plant }) {
      const { chain } = app.devnet
      const [from, to] = chain.network.funded.map(({ address }) => toBase58(address))
      const rows: { txid: string; block_number: string }[] = []
      for (let n = 0; n < few; n += 1) {
        const body = { from, to, amount_sun: 1_000_000 }
        const { txid } = (await app.call('POST', '/sandbox/chain/transfer', { body })).body
        chain.mine()
        rows.push({ txid, block_number: `${chain.head.number}` })
      }
      for (let n = 0; n <= SOLID_LAG; n += 1) chain.mine()
      const last = rows.at(-1)!.block_number
      await until('the blocks are solid', async () => {
        const at = await app.rooms.chain.progress()
        return at !== undefined && at.solidNumber >= Number(last)
      })
      await plant('delivery.network_fee', rows)
      return {
        keys: rows.map(({ txid }) => txid),
        subjects: rows.map((row) => row.block_number),
      }
    },
    poison: { when: 'update', table: 'delivery.network_fee', column: 'txid' },
    left: 'select txid as id from delivery.network_fee where fee_sun is null',
    clean: 'delivery.network_fee',
  },
  {
    loop: 'delivery.standing',
    kind: 'address',
    async plant({ few, plant }) {
      const keys = addresses(few)
      await plant(
        'delivery.standing',
        keys.map((address) => ({ address, wanted: '131000', look: 'true' })),
      )
      return { keys }
    },
    poison: { when: 'update of measured_at', table: 'delivery.standing', column: 'address' },
    left: 'select address as id from delivery.standing where measured_at is null',
    again: 'update delivery.standing set looked_at = null',
    clean: 'delivery.standing, delivery.standing_move, signing.request',
  },
  {
    loop: 'delivery.order.bazaar',
    kind: 'part',
    async plant(world) {
      const keys = uuids(world.few)
      await plantParts(world, keys, { state: 'open', provider: 'bazaar', unit_price_sun: '10' })
      return { keys }
    },
    poison: { when: 'update', table: 'delivery.part', column: 'id' },
    left: `select id from delivery.part where state = 'open'`,
    clean: 'delivery.request',
  },
  {
    loop: 'delivery.resolve.bazaar',
    kind: 'attempt',
    async plant(world) {
      const keys = uuids(world.few)
      await plantParts(world, keys, { state: 'trying', provider: 'bazaar' })
      const called = { called_at: world.now.toISOString(), look_at: PAST, created_at: soon(world) }
      const attempt = { provider: 'bazaar', state: 'unknown', energy: '1000', ...called }
      await world.plant(
        'delivery.attempt',
        keys.map((id) => ({ ...attempt, id, part_id: id, receiver_address: toHex(RECEIVER) })),
      )
      return { keys }
    },
    poison: { when: 'update of told', table: 'delivery.attempt', column: 'id' },
    left: 'select id from delivery.attempt where told is null',
    again: `update delivery.attempt set look_at = '${PAST}'`,
    clean: 'delivery.request',
  },
]
