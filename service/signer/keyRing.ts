import {
  addressDeriver,
  addressOfPrivateKey,
  extendedPublicKey,
  type HexAddress,
  parseAddress,
  privateKeyAt,
} from '@ergon/tron'
import { CannotStart, type Settings } from '../kernel/index.ts'
import { isOfStake, type WaitingRow } from '../signing/index.ts'
import {
  DEPOSIT_ACCOUNT,
  openMnemonic,
  POSITIONS,
  readSecret,
  TREASURY_ACCOUNT,
} from './keyFile.ts'

/** The signer's keys and their addresses. Keys are used only to sign. */
export type KeyRing = {
  hot: HexAddress
  /** Our stakes with the permission id that we sign under; null: the owner's key. */
  stakes: ReadonlyMap<HexAddress, number | null>
  depositAddressAt(position: number): HexAddress
  /** The key for a request, by its purpose. The policy has approved the request before. */
  keyFor(request: WaitingRow): string | undefined
}

export function openKeyRing(settings: Settings): KeyRing {
  const mnemonic = readMnemonic(settings)
  const treasuryKey = (position: number) => privateKeyAt(mnemonic, position, TREASURY_ACCOUNT)
  const hotKey = treasuryKey(POSITIONS.hot)
  const hot = addressOfPrivateKey(hotKey)
  const foreign = parseStakes(settings.SIGNER_STAKES)
  // With a permission from the stake's owner, the owner's key is not derived.
  const stakeKey = treasuryKey(foreign.size > 0 ? POSITIONS.delegate : POSITIONS.stake)
  const stakes = foreign.size > 0 ? foreign : new Map([[addressOfPrivateKey(stakeKey), null]])
  return {
    hot,
    stakes,
    depositAddressAt: addressDeriver(extendedPublicKey(mnemonic, DEPOSIT_ACCOUNT)),
    keyFor({ purpose, owner, position }) {
      if (purpose === 'delegate' || purpose === 'reclaim' || isOfStake(purpose)) {
        return stakes.has(owner) ? stakeKey : undefined
      }
      if (purpose === 'payout' || purpose === 'treasury') return owner === hot ? hotKey : undefined
      if (purpose !== 'sweep' || position === null) return undefined
      return privateKeyAt(mnemonic, Number(position), DEPOSIT_ACCOUNT)
    },
  }
}

function readMnemonic(settings: Settings): string {
  const { SIGNER_KEY_FILE, SIGNER_PASSPHRASE_FILE, SIGNER_MNEMONIC_FILE, MODE } = settings
  if (SIGNER_KEY_FILE) {
    const passphrase = readSecret(SIGNER_PASSPHRASE_FILE, 'SIGNER_PASSPHRASE_FILE')
    return openMnemonic(readSecret(SIGNER_KEY_FILE, 'SIGNER_KEY_FILE'), passphrase)
  }
  if (MODE === 'production') {
    throw new CannotStart(
      'Set SIGNER_KEY_FILE: in production the mnemonic is read only from an encrypted key file.',
    )
  }
  return readSecret(SIGNER_MNEMONIC_FILE, 'SIGNER_KEY_FILE, or SIGNER_MNEMONIC_FILE').trim()
}

/** `T…:2` for each stake: its address, and the id of the active permission that our key has. */
function parseStakes(list: string[]): Map<HexAddress, number | null> {
  return new Map(
    list.map((entry) => {
      const [text = '', id = ''] = entry.split(':')
      const address = parseAddress(text)
      if (!address || !/^[2-9]$/.test(id)) {
        throw new CannotStart(`SIGNER_STAKES has "${entry}"; expected address:permission id.`)
      }
      return [address, Number(id)]
    }),
  )
}
