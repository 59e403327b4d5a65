import type { HexAddress } from '@ergon/tron'

export type FundedKey = { address: HexAddress; privateKey: string }

/** Published everywhere and worth nothing; a devnet has no secrets. */
export const mnemonic = 'test test test test test test test test test test test junk'

// The keys of the mnemonic, written down: deriving them takes half a second of every start.
// networkKeys.test.ts derives them again.

/** What each of the funded keys has at the beginning. */
export const fundedSun = 1_000_000_000_000n

/** m/44'/195'/0'/0/0 to 9: the accounts that have money from the beginning. */
export const fundedKeys: readonly FundedKey[] = [
  {
    address: '41e2e1a54926527fbb4e4420de4c6bab82beaee24d',
    privateKey: '15f0bbb1774be40b7a8d7965d637f324bda2f711fc5726a3dcc19585c6950954',
  },
  {
    address: '419705bf55c3dcc6d277ebb8fe2a68762268822ba2',
    privateKey: '9b6ac6a6faf1dc64240f654475a7e668141e4205262367feb7269ef332113929',
  },
  {
    address: '410c96c0e10bb5e7e7edacf82ad00e3d60790351da',
    privateKey: '0c88a7fee5bfbe5a354c225bfa8a9d09557466cdf56f887cc2d000e7354f9453',
  },
  {
    address: '4132ab5167665722351b42cfa8302a81b695bb6639',
    privateKey: '68c9a7dcaa4677fdeba9f72c8a1d86d0adf34932cdbdb52d90a2d01504d9d4be',
  },
  {
    address: '41f84991394bb0a02cd655c1c70321cc8ed479316d',
    privateKey: 'a01527c0c2d83e71c8827f2f0ee5c1a6f715a0c9bace1c3da50c6690a4e69fe7',
  },
  {
    address: '41899fa251f347f8ccc4c48003c725cf71c178c234',
    privateKey: '679733f6af4143c82ea340e70029e86fda0fc0232a434172b7f233d96f6ff70f',
  },
  {
    address: '41f599d98ec243a0a49f9ad2d44a2259f2d31a3f2f',
    privateKey: 'c41ac8920442be2469a0d6f04c9959e7e9faa3c6be4c3723224a2e06f4fd3aec',
  },
  {
    address: '41299cc4bba8e3a26a71cef5bf7ee998814ccec5c1',
    privateKey: 'ff46c996d2494137bff12940698eae445b696e6da4769933687d607a8fa06dc3',
  },
  {
    address: '4197c5165a3cbe5838e805c872bc387917dea7d67a',
    privateKey: '47e922c77f526dea6dcd1bb5d9af55239815fd982799745abe1f646f04ffe776',
  },
  {
    address: '4161e8cd25d5472d70fa70fef87974ad3a43af5ff1',
    privateKey: '529ca9c20dd90893928ef9ce2bdfcecbc191ffc5ee93a0171427d9a28ea77718',
  },
]

/** m/44'/195'/8'/0/0 to 3: the stakes that stand-ins of marketplaces delegate from. */
export const marketplaceKeys = {
  catfee: {
    address: '41b0a02e2fd30309309e8866ac9f7f6e8fa01d1caa',
    privateKey: '3cf19f95f447d438d6f18d69c096b19159d448ae3fab94b09c0ea0186d6c0b90',
  },
  itrx: {
    address: '4124cac1414f6b1445340f89c6bccfe7054e8c3f85',
    privateKey: '73370651cecee2f60032da571c06602cc989d6e73f3fbfe7d9c97ebaa10fb26b',
  },
  tronsave: {
    address: '418d75403a12fa48708332f52004039b53d1a83396',
    privateKey: '2f338698f627f4ddcc45cadc1950251a6299b72072070acc6cc7387311972d90',
  },
  tronzap: {
    address: '411bf5c54368a311c60f6e8e35d01788821166c183',
    privateKey: 'bd56c98c6912796d012f5890948001373a28097b81f195f578e0b9021958de92',
  },
} as const satisfies Record<string, FundedKey>

/** m/44'/195'/9'/0/0, the only block producer. */
export const witnessKey: FundedKey = {
  address: '4131737a035b9c2fa6d028419eca2daebd26dc82c6',
  privateKey: '3f6cf076589e6463d906d7245c34b4d5ec60ea4118926da65ab2125ff57820ab',
}

/** m/44'/195'/9'/0/1 to 3: addresses only, nobody signs for them. */
export const contractOwnerAddress: HexAddress = '4188a9ef5761253c22f6078930eca2caf9f641ba30'
export const usdtAddress: HexAddress = '41adfb4ffe8ccc1b62997adf2f50cca8064951eb03'
export const splitterAddress: HexAddress = '413a3f75546f7dd0b1be152aeded6f2e93183b2889'
