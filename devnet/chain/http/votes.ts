import { jsonInteger } from '@ergon/tron'
import { rewards } from '../parameters.ts'
import { firstWitness, maintenanceAfter, rewardOf } from '../rewards.ts'
import { total } from '../state.ts'
import { omitDefaults, show } from './render.ts'
import type { Context, Endpoint } from './request.ts'

const reading = { methods: 'GET POST', solidity: true } as const

const getReward: Endpoint = {
  ...reading,
  path: 'getReward',
  run: ({ sight, params }) => ({
    reward: jsonInteger(rewardOf(sight.view.tables, params.address('address'))),
  }),
}

const getBrokerage: Endpoint = {
  ...reading,
  path: 'getBrokerage',
  run: () => ({ brokerage: Number(rewards.brokeragePercent) }),
}

const listWitnesses: Endpoint = {
  ...reading,
  path: 'listwitnesses',
  bodyless: true,
  run({ chain, sight, params }) {
    const { address } = chain.network.witness
    const { votes } = sight.view.tables.witnesses.get(address) ?? firstWitness
    return {
      witnesses: [
        omitDefaults({
          address: show(address, params.visible),
          voteCount: votes,
          url: 'http://127.0.0.1',
          totalProduced: sight.top,
          totalMissed: 0,
          latestBlockNum: sight.top,
          latestSlotNum: sight.view.slot,
          isJobs: true,
        }),
      ],
    }
  },
}

const getNextMaintenanceTime: Endpoint = {
  ...reading,
  path: 'getnextmaintenancetime',
  solidity: false,
  bodyless: true,
  run: ({ sight }: Context) => ({
    num: Number(total(sight.view.tables, 'maintenance')) || maintenanceAfter(sight.view.timestamp),
  }),
}

export const voteEndpoints = [getReward, getBrokerage, listWitnesses, getNextMaintenanceTime]
