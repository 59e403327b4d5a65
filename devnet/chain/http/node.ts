import { isAddress, isHexAddress } from '@ergon/tron'
import type { Block } from '../blockStore.ts'
import { fees, listChainParameters } from '../parameters.ts'
import { total } from '../state.ts'
import { omitDefaults, show } from './render.ts'
import type { Context, Endpoint } from './request.ts'

const version = '4.8.0'

function reading(
  path: string,
  run: Endpoint['run'],
  { solidity = false, bodyless = true }: { solidity?: boolean; bodyless?: boolean } = {},
): Endpoint {
  return { path, methods: 'GET POST', solidity, bodyless, run }
}

// One price since the beginning: the last pair is what counts.
const prices = (sun: bigint) => () => ({ prices: `0:${sun}` })

export const nodeEndpoints: Endpoint[] = [
  reading('getchainparameters', () => ({ chainParameter: listChainParameters() })),
  reading('getenergyprices', prices(fees.energySun), { solidity: true }),
  reading('getbandwidthprices', prices(fees.bandwidthSun), { solidity: true }),
  reading('getmemofee', prices(fees.memoSun)),
  reading('getburntrx', burnt, { solidity: true }),
  reading('getnextmaintenancetime', ({ chain }) => ({ num: nextMaintenance(chain.clock.now()) })),
  reading('listwitnesses', witnesses, { solidity: true }),
  reading('getnodeinfo', nodeInfo, { solidity: true }),
  reading('listnodes', () => ({})),
  reading('getReward', () => ({ reward: 0 }), { solidity: true, bodyless: false }),
  reading('getBrokerage', () => ({ brokerage: 20 }), { solidity: true, bodyless: false }),
  reading('validateaddress', validateAddress, { bodyless: false }),
]

function burnt({ sight }: Context): unknown {
  return omitDefaults({ burnTrxAmount: total(sight.view.tables, 'burned') })
}

const maintenanceMs = 6 * 60 * 60 * 1000

function nextMaintenance(now: number): number {
  return (Math.floor(now / maintenanceMs) + 1) * maintenanceMs
}

function witnesses({ chain, sight, params }: Context): unknown {
  return {
    witnesses: [
      {
        address: show(chain.network.witness.address, params.visible),
        voteCount: 1,
        url: 'http://127.0.0.1',
        totalProduced: sight.top,
        latestBlockNum: sight.top,
        latestSlotNum: sight.view.slot,
        isJobs: true,
      },
    ],
  }
}

/** A fastjson bean on a node, so zeros are printed. */
function nodeInfo({ chain, sight }: Context): unknown {
  const name = ({ number, id }: Block) => `Num:${number},ID:${id}`
  const solid = chain.block(Math.min(chain.solidNumber, sight.top))!
  return {
    activeConnectCount: 0,
    beginSyncNum: sight.top,
    block: name(chain.block(sight.top)!),
    cheatWitnessInfoMap: {},
    configNodeInfo: { codeVersion: version, versionNum: '18000', p2pVersion: '11111' },
    currentConnectCount: 0,
    machineInfo: { threadCount: 1, javaVersion: '', osName: '' },
    passiveConnectCount: 0,
    peerList: [],
    solidityBlock: name(solid),
    totalFlow: 0,
  }
}

function validateAddress({ params }: Context): unknown {
  const address = params.text('address') ?? ''
  if (address.length === 42) {
    return verdict(isHexAddress(address.toLowerCase()), 'Hex string format')
  }
  if (address.length === 34) return verdict(isAddress(address), 'Base58check format')
  if (address.length === 28) {
    const hex = Buffer.from(address, 'base64').toString('hex')
    return verdict(isHexAddress(hex), 'Base64 format')
  }
  return { result: false, message: 'Length error' }
}

function verdict(result: boolean, message: string): unknown {
  return { result, message: result ? message : 'Invalid address' }
}
