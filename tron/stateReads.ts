import type { HexAddress } from './address.ts'
import type { ResourceCode } from './contracts.ts'
import { int64, list, object } from './jsonFields.ts'
import type { NodePool } from './nodePool.ts'
import {
  type ConstantCall,
  decodeAccount,
  decodeAccountResource,
  decodeChainParameters,
  decodeConstantCall,
  decodeDelegatedResource,
  decodePrices,
  decodeSmartContract,
} from './nodeState.ts'

export type ConstantCallRequest = {
  ownerAddress: HexAddress
  contractAddress: HexAddress
  callValue?: bigint
} & ({ functionSelector: string; parameter?: string } | { data: string })

/** The chain's state, at the node's head unless a name says otherwise. */
export function stateReads(pool: NodePool) {
  return {
    /** Undefined: never activated. */
    getAccount: (address: HexAddress) => pool.find('wallet/getaccount', { address }, decodeAccount),

    /** As of the solid block, so it is final. */
    getSolidAccount: (address: HexAddress) =>
      pool.find('walletsolidity/getaccount', { address }, decodeAccount),

    getAccountResource: (address: HexAddress) =>
      pool.find('wallet/getaccountresource', { address }, decodeAccountResource),

    /** At most two: the unlocked record, then the locked one. */
    getDelegatedResourceV2: async (from: HexAddress, to: HexAddress) => {
      const body = { fromAddress: from, toAddress: to }
      const decode = (json: unknown) => {
        const items = object(json, 'delegated resources').delegatedResource
        return list(items ?? [], 'delegatedResource').map(decodeDelegatedResource)
      }
      return (await pool.find('wallet/getdelegatedresourcev2', body, decode)) ?? []
    },

    /** SUN that the owner can delegate now. */
    getCanDelegatedMaxSize: (owner: HexAddress, resource: ResourceCode) => {
      const body = { owner_address: owner, type: resource === 'ENERGY' ? 1 : 0 }
      return pool.get('wallet/getcandelegatedmaxsize', body, (json) =>
        int64(object(json, 'max size').max_size ?? 0, 'max_size'),
      )
    },

    /** Rewards of votes, in SUN, that the account could take now. */
    getReward: (address: HexAddress) =>
      pool.get('wallet/getReward', { address }, (json) =>
        int64(object(json, 'reward').reward ?? 0, 'reward'),
      ),

    getChainParameters: () => pool.get('wallet/getchainparameters', {}, decodeChainParameters),

    getContract: (address: HexAddress) =>
      pool.find('wallet/getcontract', { value: address }, decodeSmartContract),

    /** The price of one byte of Bandwidth that is burned, oldest first; the last one holds now. */
    getBandwidthPrices: () => pool.get('wallet/getbandwidthprices', {}, decodePrices),

    /** At a fresh head: a token that was not there yesterday is no mistake of the caller. */
    triggerConstantContract: async (call: ConstantCallRequest) =>
      (await pool.read({
        path: 'wallet/triggerconstantcontract',
        body: constantCallBody(call),
        decode: decodeConstantCall,
        mustBeFresh: true,
      })) as ConstantCall,
  }
}

function constantCallBody(call: ConstantCallRequest): Record<string, unknown> {
  return {
    owner_address: call.ownerAddress,
    contract_address: call.contractAddress,
    ...('data' in call
      ? { data: call.data }
      : { function_selector: call.functionSelector, parameter: call.parameter ?? '' }),
    ...(call.callValue === undefined ? {} : { call_value: call.callValue }),
  }
}
