import { addressOfPrivateKey, privateKeyAt } from '@ergon/tron'
import { expect, test } from 'vitest'
import {
  contractOwnerAddress,
  fundedKeys,
  marketplaceKeys,
  mnemonic,
  splitterAddress,
  usdtAddress,
  witnessKey,
} from './networkKeys.ts'

test('the written keys are those of the published test mnemonic', () => {
  const key = (index: number, account = 0) => {
    const privateKey = privateKeyAt(mnemonic, index, account)
    return { address: addressOfPrivateKey(privateKey), privateKey }
  }
  expect(fundedKeys).toEqual(Array.from({ length: 10 }, (_, index) => key(index)))
  expect(Object.values(marketplaceKeys)).toEqual([0, 1, 2, 3].map((index) => key(index, 8)))
  expect(witnessKey).toEqual(key(0, 9))
  expect([contractOwnerAddress, usdtAddress, splitterAddress]).toEqual(
    [1, 2, 3].map((index) => key(index, 9).address),
  )
})
