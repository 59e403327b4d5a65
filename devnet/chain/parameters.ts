// What getchainparameters prints, in java-tron's order. Values are mainnet's of 2026 where tron.md
// 4.7 gives them and the usual ones elsewhere; only those in `fees` below change what the chain does.
const chainParameters = {
  getMaintenanceTimeInterval: 21_600_000,
  getAccountUpgradeCost: 9_999_000_000,
  getCreateAccountFee: 100_000,
  getTransactionFee: 1000,
  getAssetIssueFee: 1_024_000_000,
  getWitnessPayPerBlock: 8_000_000,
  getWitnessStandbyAllowance: 115_200_000_000,
  getCreateNewAccountFeeInSystemContract: 1_000_000,
  getCreateNewAccountBandwidthRate: 1,
  getAllowCreationOfContracts: 1,
  getRemoveThePowerOfTheGr: -1,
  getEnergyFee: 100,
  getExchangeCreateFee: 1_024_000_000,
  getMaxCpuTimeOfOneTx: 80,
  getAllowUpdateAccountName: 0,
  getAllowSameTokenName: 1,
  getAllowDelegateResource: 1,
  getTotalEnergyLimit: 180_000_000_000,
  getAllowTvmTransferTrc10: 1,
  getTotalEnergyCurrentLimit: 180_000_000_000,
  getAllowMultiSign: 1,
  getAllowAdaptiveEnergy: 0,
  getTotalEnergyTargetLimit: 12_500_000,
  getTotalEnergyAverageUsage: 0,
  getUpdateAccountPermissionFee: 100_000_000,
  getMultiSignFee: 1_000_000,
  getAllowAccountStateRoot: 0,
  getAllowProtoFilterNum: 0,
  getAllowTvmConstantinople: 1,
  getAllowTvmSolidity059: 1,
  getAllowTvmIstanbul: 1,
  getAllowShieldedTransaction: 0,
  getShieldedTransactionFee: 0,
  getShieldedTransactionCreateAccountFee: 0,
  getAllowShieldedTRC20Transaction: 0,
  getForbidTransferToContract: 1,
  getAdaptiveResourceLimitTargetRatio: 10,
  getAdaptiveResourceLimitMultiplier: 1000,
  getChangeDelegation: 1,
  getWitness127PayPerBlock: 128_000_000,
  getAllowMarketTransaction: 0,
  getMarketSellFee: 0,
  getMarketCancelFee: 0,
  getAllowPBFT: 1,
  getAllowTransactionFeePool: 0,
  getMaxFeeLimit: 15_000_000_000,
  getAllowOptimizeBlackHole: 1,
  getAllowNewResourceModel: 0,
  getAllowTvmFreeze: 1,
  getAllowTvmVote: 1,
  getAllowTvmLondon: 1,
  getAllowTvmCompatibleEvm: 0,
  getAllowAccountAssetOptimization: 0,
  getFreeNetLimit: 600,
  getTotalNetLimit: 43_200_000_000,
  getAllowHigherLimitForMaxCpuTimeOfOneTx: 1,
  getAllowAssetOptimization: 1,
  getAllowNewReward: 1,
  getMemoFee: 1_000_000,
  getAllowDelegateOptimization: 1,
  getUnfreezeDelayDays: 14,
  getAllowOptimizedReturnValueOfChainId: 1,
  getAllowDynamicEnergy: 1,
  getDynamicEnergyThreshold: 5_000_000_000,
  getDynamicEnergyIncreaseFactor: 2000,
  getDynamicEnergyMaxFactor: 34_000,
  getAllowTvmShangHai: 1,
  getAllowCancelAllUnfreezeV2: 1,
  getMaxDelegateLockPeriod: 864_000,
  getAllowOldRewardOpt: 1,
  getAllowEnergyAdjustment: 1,
  getMaxCreateAccountTxSize: 1000,
  getAllowStrictMath: 1,
  getConsensusLogicOptimization: 1,
  getAllowTvmCancun: 1,
  getAllowTvmBlob: 1,
}

export function listChainParameters(): { key: string; value?: number }[] {
  return Object.entries(chainParameters).map(([key, value]) =>
    value === 0 ? { key } : { key, value },
  )
}

/** The parameters the chain computes with. Amounts are SUN. */
export const fees = {
  energySun: BigInt(chainParameters.getEnergyFee),
  bandwidthSun: BigInt(chainParameters.getTransactionFee),
  accountBandwidthSun: BigInt(chainParameters.getCreateAccountFee),
  accountSun: BigInt(chainParameters.getCreateNewAccountFeeInSystemContract),
  multiSignSun: BigInt(chainParameters.getMultiSignFee),
  permissionUpdateSun: BigInt(chainParameters.getUpdateAccountPermissionFee),
  memoSun: BigInt(chainParameters.getMemoFee),
  feeLimitSunMax: BigInt(chainParameters.getMaxFeeLimit),
}

/** What a block pays to witnesses, and how they share it with their voters. */
export const rewards = {
  blockSun: BigInt(chainParameters.getWitnessPayPerBlock),
  standbySun: BigInt(chainParameters.getWitness127PayPerBlock),
  brokeragePercent: 20n,
}

export const maintenanceMs = chainParameters.getMaintenanceTimeInterval

/** How a contract's energy factor moves from one maintenance to the next, in ten-thousandths. */
export const dynamicEnergy = {
  threshold: BigInt(chainParameters.getDynamicEnergyThreshold),
  increase: chainParameters.getDynamicEnergyIncreaseFactor,
  max: chainParameters.getDynamicEnergyMaxFactor,
}

export const limits = {
  freeBandwidth: BigInt(chainParameters.getFreeNetLimit),
  energyTotal: BigInt(chainParameters.getTotalEnergyCurrentLimit),
  bandwidthTotal: BigInt(chainParameters.getTotalNetLimit),
  unfreezeDelayMs: chainParameters.getUnfreezeDelayDays * 86_400_000,
  unfreezingMax: 32,
  lockPeriodMax: BigInt(chainParameters.getMaxDelegateLockPeriod),
  lockPeriodDefault: 86_400n,
  accountCreationBytesMax: chainParameters.getMaxCreateAccountTxSize,
  transactionBytesMax: 500 * 1024,
  expirationMsMax: 86_400_000,
  signaturesMax: 5,
}

/** Length of a slot in the resource formulas, whatever the spacing of blocks. */
export const slotMs = 3_000
