import { type HexAddress, jsonInteger, parseAddress } from '@ergon/tron'
import {
  type Account,
  type DelegableResource,
  permissionsOf,
  stakeFor,
  tronPower,
  votesOf,
} from '../account.ts'
import { delegatable, delegationBytes } from '../actuators/delegate.ts'
import { bandwidthPool, energyPool } from '../bandwidth.ts'
import type { Chain } from '../chain.ts'
import { limits, slotMs } from '../parameters.ts'
import { remainingFree, trx, unitsOfStake, use } from '../resources.ts'
import { type Delegation, delegationKey, total, type View } from '../state.ts'
import { omitDefaults, permissionJson, show } from './render.ts'
import { type Endpoint, java, NodeError } from './request.ts'

type Json = Record<string, unknown>

const getAccount: Endpoint = {
  path: 'getaccount',
  methods: 'GET POST',
  solidity: true,
  run({ chain, sight, params }) {
    const address = params.address('address')
    const account = sight.view.tables.accounts.get(address)
    if (!account) return {}
    const { view, top } = sight
    const form = { view, genesisTime: chain.genesisTime, visible: params.visible }
    return accountJson(address, account, { ...form, isStored: !isNew(chain, address, top) })
  },
}

type AccountForm = { view: View; genesisTime: number; visible: boolean; isStored: boolean }

/** A node marks an account when it writes it to disk, which is a block later. */
function isNew(chain: Chain, address: HexAddress, top: number): boolean {
  if (top - 1 < chain.solidNumber) return false
  return chain.viewAt(top - 1).tables.accounts.get(address) === undefined
}

/** Usage is recovered to the view's time, and slots are shown as milliseconds (W:329-373). */
function accountJson(address: HexAddress, account: Account, form: AccountForm): Json {
  const { view, genesisTime, visible, isStored } = form
  // Slot 0 is the genesis itself: nothing was ever consumed.
  const time = (slot: number) => (slot === 0 ? 0 : genesisTime + slot * slotMs)
  const net = use(account.usage.BANDWIDTH, 0n, view.slot)
  const energy = use(account.usage.ENERGY, 0n, view.slot)
  return omitDefaults({
    account_name: account.name && nameJson(account.name, visible),
    type: account.kind === 'Normal' ? undefined : account.kind,
    address: show(address, visible),
    balance: account.balance,
    votes: account.votes?.map(({ witness, count }) => ({
      vote_address: show(witness, visible),
      vote_count: jsonInteger(count),
    })),
    net_usage: net.used,
    create_time: account.createTime,
    latest_opration_time: account.latestOperationTime,
    allowance: account.allowance,
    latest_withdraw_time: account.latestWithdrawTime,
    is_witness: account.isWitness,
    free_net_usage: remainingFree(account.free, view.slot),
    latest_consume_time: time(account.usage.BANDWIDTH.slot),
    latest_consume_free_time: time(account.free.slot),
    net_window_size: net.window,
    net_window_optimized: true,
    account_resource: omitDefaults({
      energy_usage: energy.used,
      latest_consume_time_for_energy: time(account.usage.ENERGY.slot),
      energy_window_size: energy.window,
      delegated_frozenV2_balance_for_energy: account.delegated.ENERGY,
      acquired_delegated_frozenV2_balance_for_energy: account.acquired.ENERGY,
      energy_window_optimized: true,
    }),
    ...(account.kind === 'Contract' ? {} : permissionsJson(address, account, visible)),
    frozenV2: [
      omitDefaults({ amount: account.frozen.BANDWIDTH }),
      omitDefaults({ type: 'ENERGY', amount: account.frozen.ENERGY }),
      omitDefaults({ type: 'TRON_POWER', amount: account.frozen.TRON_POWER }),
    ],
    unfrozenV2: account.unfreezing.map(({ resource, amount, expireTime }) =>
      omitDefaults({
        type: resource === 'BANDWIDTH' ? undefined : resource,
        unfreeze_amount: amount,
        unfreeze_expire_time: expireTime,
      }),
    ),
    delegated_frozenV2_balance_for_bandwidth: account.delegated.BANDWIDTH,
    acquired_delegated_frozenV2_balance_for_bandwidth: account.acquired.BANDWIDTH,
    asset_optimized: isStored,
  })
}

/** A contract has no permissions: nobody can sign for it. */
function permissionsJson(address: HexAddress, account: Account, visible: boolean): Json {
  const { owner, witness, actives } = permissionsOf(address, account)
  return {
    owner_permission: permissionJson(owner, visible),
    witness_permission: witness && permissionJson(witness, visible),
    active_permission: actives.map((active) => permissionJson(active, visible)),
  }
}

function nameJson(name: string, visible: boolean): string {
  return visible ? Buffer.from(name, 'hex').toString('utf8') : name
}

const getAccountResource: Endpoint = {
  path: 'getaccountresource',
  methods: 'GET POST',
  solidity: false,
  run({ sight: { view }, params }) {
    const account = view.tables.accounts.get(params.address('address'))
    return account ? accountResource(view, account) : {}
  },
}

export function accountResource(view: View, account: Account): Json {
  const { tables, slot } = view
  return omitDefaults({
    ...bandwidthFigures(view, account),
    tronPowerUsed: votesOf(account),
    tronPowerLimit: tronPower(account) / trx,
    EnergyUsed: use(account.usage.ENERGY, 0n, slot).used,
    EnergyLimit: unitsOfStake(stakeFor(account, 'ENERGY'), energyPool(tables)),
    TotalEnergyLimit: limits.energyTotal,
    TotalEnergyWeight: total(tables, 'energyWeight'),
  })
}

function bandwidthFigures({ tables, slot }: View, account: Account): Json {
  return {
    freeNetUsed: remainingFree(account.free, slot),
    freeNetLimit: limits.freeBandwidth,
    NetUsed: use(account.usage.BANDWIDTH, 0n, slot).used,
    NetLimit: unitsOfStake(stakeFor(account, 'BANDWIDTH'), bandwidthPool(tables)),
    TotalNetLimit: limits.bandwidthTotal,
    TotalNetWeight: total(tables, 'netWeight'),
  }
}

const getAccountNet: Endpoint = {
  path: 'getaccountnet',
  methods: 'GET POST',
  solidity: false,
  run({ sight: { view }, params }) {
    const account = view.tables.accounts.get(params.address('address'))
    return account ? omitDefaults(bandwidthFigures(view, account)) : {}
  },
}

const getDelegatedResource: Endpoint = {
  path: 'getdelegatedresourcev2',
  methods: 'GET POST',
  solidity: true,
  run({ sight: { view }, params }) {
    const [from, to] = [params.address('fromAddress'), params.address('toAddress')]
    const records = [false, true]
      .map((locked) => view.tables.delegations.get(delegationKey(from, to, locked)))
      .filter((record) => record !== undefined)
    const delegatedResource = records.map((record) => delegationJson(record, params.visible))
    return delegatedResource.length > 0 ? { delegatedResource } : {}
  },
}

function delegationJson({ from, to, balance, expireTime }: Delegation, visible: boolean): Json {
  return omitDefaults({
    from: show(from, visible),
    to: show(to, visible),
    frozen_balance_for_bandwidth: balance.BANDWIDTH,
    frozen_balance_for_energy: balance.ENERGY,
    expire_time_for_bandwidth: expireTime.BANDWIDTH,
    expire_time_for_energy: expireTime.ENERGY,
  })
}

const getDelegatedResourceAccountIndex: Endpoint = {
  path: 'getdelegatedresourceaccountindexv2',
  methods: 'GET POST',
  solidity: true,
  run({ sight: { view }, params }) {
    const address = params.address('value')
    if (address === '') return {}
    const from = new Map<HexAddress, number>()
    const to = new Map<HexAddress, number>()
    for (const [, record] of view.tables.delegations.entries()) {
      if (record.to === address) keepLatest(from, record.from, record.time)
      if (record.from === address) keepLatest(to, record.to, record.time)
    }
    const print = (found: Map<HexAddress, number>) =>
      [...found].sort((a, b) => a[1] - b[1]).map(([other]) => show(other, params.visible))
    return omitDefaults({
      account: show(address, params.visible),
      fromAccounts: print(from),
      toAccounts: print(to),
    })
  },
}

function keepLatest(found: Map<HexAddress, number>, address: HexAddress, time: number): void {
  found.set(address, Math.max(time, found.get(address) ?? 0))
}

const getCanDelegatedMaxSize: Endpoint = {
  path: 'getcandelegatedmaxsize',
  methods: 'GET POST',
  solidity: true,
  run({ sight: { view }, params }) {
    const account = view.tables.accounts.get(params.address('owner_address'))
    const type = params.integer('type')
    if (type !== 0n && type !== 1n) return {}
    const resource: DelegableResource = type === 1n ? 'ENERGY' : 'BANDWIDTH'
    if (!account) return {}
    const size = delegatable(view, account, resource, delegationBytes(account, resource))
    return size >= trx ? { max_size: jsonInteger(size) } : {}
  },
}

const getAvailableUnfreezeCount: Endpoint = {
  path: 'getavailableunfreezecount',
  methods: 'GET POST',
  solidity: true,
  run({ sight: { view }, params }) {
    const account = view.tables.accounts.get(params.address('owner_address'))
    if (!account) return {}
    const pending = account.unfreezing.filter(({ expireTime }) => expireTime > view.timestamp)
    return omitDefaults({ count: limits.unfreezingMax - pending.length })
  },
}

const getCanWithdrawUnfreezeAmount: Endpoint = {
  path: 'getcanwithdrawunfreezeamount',
  methods: 'GET POST',
  solidity: true,
  run({ sight: { view }, params }) {
    const account = view.tables.accounts.get(params.address('owner_address'))
    const at = params.integer('timestamp')
    if (at < 0n) throw new NodeError(java.parameter, 'timestamp must be non-negative')
    const ready = (account?.unfreezing ?? []).filter(({ expireTime }) => expireTime <= Number(at))
    return omitDefaults({ amount: ready.reduce((sum, { amount }) => sum + amount, 0n) })
  },
}

/** Stake 1.0: nothing of it is left. */
const getOldDelegatedResource: Endpoint = {
  path: 'getdelegatedresource',
  methods: 'GET POST',
  solidity: true,
  run: () => ({}),
}

/** A balance at a block that can still be taken back; of older blocks a node without history has none. */
const getAccountBalance: Endpoint = {
  path: 'getaccountbalance',
  methods: 'POST',
  solidity: false,
  run({ chain, sight, params }) {
    const refuse = (text: string) => new NodeError(java.argument, text)
    const account = object(params.values.account_identifier)
    if (!account) throw refuse('account_identifier is null')
    if (typeof account.address !== 'string') throw refuse('account_identifier address is null')
    const wanted = object(params.values.block_identifier)
    if (!wanted) throw refuse('block_identifier null')
    const { number = 0, hash = '' } = wanted
    if (typeof number !== 'number' || number < 0) {
      throw refuse('block_identifier number less than 0')
    }
    if (typeof hash !== 'string' || hash.length !== 64) {
      throw refuse('block_identifier hash length not equals 32')
    }
    const block = number <= sight.top ? chain.block(number) : undefined
    if (!block) throw new NodeError(java.missing, `number: ${number} is not found!`)
    if (block.id !== hash.toLowerCase()) throw refuse('number and hash do not match')
    const address = parseAddress(account.address) ?? ''
    const isKept = number >= chain.solidNumber
    const found = isKept ? chain.viewAt(number).tables.accounts.get(address) : undefined
    return omitDefaults({ balance: found?.balance, block_identifier: { hash: block.id, number } })
  },
}

function object(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : undefined
}

export const accountEndpoints = [
  getAccount,
  getAccountResource,
  getAccountNet,
  getAccountBalance,
  getOldDelegatedResource,
  getDelegatedResource,
  getDelegatedResourceAccountIndex,
  getCanDelegatedMaxSize,
  getAvailableUnfreezeCount,
  getCanWithdrawUnfreezeAmount,
]
