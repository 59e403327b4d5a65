import { isAddress, isHexAddress } from '@ergon/tron'
import type { Block } from '../blockStore.ts'
import { fees, listChainParameters } from '../parameters.ts'
import { total } from '../state.ts'
import { omitDefaults } from './render.ts'
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
  reading('getnodeinfo', nodeInfo, { solidity: true }),
  reading('listnodes', () => ({})),
  reading('listexchanges', () => ({}), { solidity: true }),
  reading('validateaddress', validateAddress, { bodyless: false }),
]

function burnt({ sight }: Context): unknown {
  return omitDefaults({ burnTrxAmount: total(sight.view.tables, 'burned') })
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
    configNodeInfo,
    currentConnectCount: 0,
    machineInfo,
    passiveConnectCount: 0,
    peerList: [],
    solidityBlock: name(solid),
    totalFlow: 0,
  }
}

const configNodeInfo = {
  activeNodeSize: 0,
  allowAdaptiveEnergy: 0,
  allowCreationOfContracts: 1,
  backupListenPort: 10001,
  backupMemberSize: 0,
  backupPriority: 8,
  codeVersion: version,
  dbVersion: 2,
  discoverEnable: false,
  listenPort: 18888,
  maxConnectCount: 30,
  maxTimeRatio: 5,
  minParticipationRate: 0,
  minTimeRatio: 0,
  p2pVersion: '11111',
  passiveNodeSize: 0,
  sameIpMaxConnectCount: 2,
  sendNodeSize: 0,
  supportConstant: true,
  versionNum: '18000',
}

const memory = { initSize: 0, maxSize: 0, name: 'none', useRate: 0, useSize: 0 }

// Nothing of this machine: a client learns from it that the keys are there.
const machineInfo = {
  cpuCount: 1,
  cpuRate: 0,
  deadLockThreadCount: 0,
  deadLockThreadInfoList: [],
  freeMemory: 0,
  javaVersion: '',
  jvmFreeMemory: 0,
  jvmTotalMemory: 0,
  memoryDescInfoList: [memory],
  osName: '',
  processCpuRate: 0,
  threadCount: 1,
  totalMemory: 0,
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
