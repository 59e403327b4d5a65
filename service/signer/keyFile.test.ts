import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateMnemonic } from '@ergon/tron'
import { expect, test } from 'vitest'
import { CannotStart, readSettings, systemRandom } from '../kernel/index.ts'
import {
  changePassphrase,
  importKeyFile,
  openMnemonic,
  publicKeysOf,
  sealMnemonic,
  writeKeyFile,
} from './keyFile.ts'
import { openKeyRing } from './keyRing.ts'

const PASSPHRASE = 'correct horse battery staple'
const mnemonic = generateMnemonic()
const sealed = sealMnemonic(mnemonic, PASSPHRASE, systemRandom)
const folder = mkdtempSync(join(tmpdir(), 'ergon-keys-'))

test('the mnemonic comes back with its passphrase, and is nowhere in the file', () => {
  expect(openMnemonic(sealed, PASSPHRASE)).toBe(mnemonic)
  for (const word of mnemonic.split(' ')) expect(sealed).not.toContain(` ${word}`)
  expect(JSON.parse(sealed)).toMatchObject({ version: 1, kdf: { name: 'scrypt', r: 8, p: 1 } })
  expect(JSON.parse(sealed).kdf.n).toBeGreaterThanOrEqual(2 ** 15)
})

test('sealed twice, no two files are alike', () => {
  expect(sealMnemonic(mnemonic, PASSPHRASE, systemRandom)).not.toBe(sealed)
})

test.each(['correct horse battery stable', '', `${PASSPHRASE} `])(
  '"%s" does not open it',
  (wrong) => {
    expect(() => openMnemonic(sealed, wrong)).toThrow('wrong passphrase, or the file was changed')
  },
)

const flip = (hex: string) => (hex.startsWith('0') ? '1' : '0') + hex.slice(1)

test.each(['iv', 'tag', 'text'] as const)('a changed %s does not open', (field) => {
  const file = JSON.parse(sealed)
  file.cipher[field] = flip(file.cipher[field])
  expect(() => openMnemonic(JSON.stringify(file), PASSPHRASE)).toThrow('the file was changed')
})

test('a shortened tag, another salt and another cost do not open', () => {
  const changed = (change: (file: ReturnType<typeof JSON.parse>) => void) => {
    const file = JSON.parse(sealed)
    change(file)
    return () => openMnemonic(JSON.stringify(file), PASSPHRASE)
  }
  const tagOf8 = changed((file) => {
    file.cipher.tag = file.cipher.tag.slice(0, 8)
  })
  expect(tagOf8).toThrow('the file was changed')
  const salted = changed((file) => {
    file.kdf.salt = flip(file.kdf.salt)
  })
  expect(salted).toThrow('the file was changed')
  for (const n of [2 ** 10, 2 ** 30, 'many']) {
    const cheap = changed((file) => {
      file.kdf.n = n
    })
    expect(cheap).toThrow('does not accept')
  }
})

test.each(['', '{}', 'mnemonic words', '{"version":2}', '{"version":1}'])(
  '%s is no key file',
  (text) => {
    expect(() => openMnemonic(text, PASSPHRASE)).toThrow(CannotStart)
  },
)

test('a short passphrase is refused', () => {
  expect(() => sealMnemonic(mnemonic, 'short', systemRandom)).toThrow('12 characters')
})

test('the file is for its owner alone and is never overwritten', () => {
  const path = join(folder, 'keys.json')
  writeKeyFile(path, sealed)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(() => writeKeyFile(path, 'other')).toThrow('is not overwritten')
  expect(readFileSync(path, 'utf8')).toBe(sealed)
})

test('in production the signer reads the encrypted file and refuses a plain mnemonic', () => {
  const plain = join(folder, 'mnemonic.txt')
  const passphrase = join(folder, 'passphrase')
  const file = join(folder, 'production.json')
  writeFileSync(plain, mnemonic)
  writeFileSync(passphrase, `${PASSPHRASE}\n`)
  chmodSync(passphrase, 0o600)
  writeKeyFile(file, sealed)
  const production = (more: Record<string, string>) =>
    openKeyRing(readSettings({ MODE: 'production', ...more }))
  expect(() => production({ SIGNER_MNEMONIC_FILE: plain })).toThrow(
    'only from an encrypted key file',
  )
  const ring = production({ SIGNER_KEY_FILE: file, SIGNER_PASSPHRASE_FILE: passphrase })
  expect([...ring.stakes.values()]).toEqual([null])
  expect(() => production({ SIGNER_KEY_FILE: file })).toThrow('SIGNER_PASSPHRASE_FILE')
})

test('with a stake of somebody else the signer holds a delegate key and not the owner’s', () => {
  const plain = join(folder, 'sandbox.txt')
  writeFileSync(plain, mnemonic)
  const { stake, hot } = publicKeysOf(mnemonic)
  const ring = (SIGNER_STAKES: string) =>
    openKeyRing(readSettings({ SIGNER_MNEMONIC_FILE: plain, SIGNER_STAKES }))
  const [[address, permission]] = [...ring(`${stake}:3`).stakes] as [[string, number]]
  expect(permission).toBe(3)
  const request = { id: '', purpose: 'delegate', owner: address, position: null }
  const none = { payout: null, attempt: null, raw: Buffer.alloc(0), txid: '' }
  const row = { ...request, ...none, expiresAt: new Date(0) }
  expect(ring(`${stake}:3`).keyFor(row)).not.toBe(ring('').keyFor(row))
  for (const wrong of [stake, `${stake}:1`, `${hot}x:2`])
    expect(() => ring(wrong)).toThrow('SIGNER_STAKES')
})

test('words that were typed become the same keys; wrong words are refused and not repeated', () => {
  const path = join(folder, 'imported.json')
  const typed = `  ${mnemonic.toUpperCase().split(' ').join('   ')}\n`
  const of = { passphrase: PASSPHRASE, random: systemRandom }
  // Words of the list with a wrong checksum. Those of a random mnemonic, turned round, may have a right one.
  const wrong = Array.from({ length: 12 }, () => 'abandon').join(' ')
  expect(() => importKeyFile(path, wrong, of)).toThrow('not the words of a mnemonic')
  expect(() => importKeyFile(path, wrong, of)).not.toThrow(wrong)
  importKeyFile(path, typed, of)
  expect(openMnemonic(readFileSync(path, 'utf8'), PASSPHRASE)).toBe(mnemonic)
  expect(() => importKeyFile(path, typed, of)).toThrow('is not overwritten')
})

test('a changed passphrase opens the file alone, and a wrong one changes nothing', () => {
  const path = join(folder, 'changed.json')
  writeKeyFile(path, sealed)
  const change = (passphrase: string, next: string) =>
    changePassphrase(path, { passphrase, next, random: systemRandom })
  expect(() => change('another passphrase', 'a new passphrase')).toThrow('wrong passphrase')
  expect(() => change(PASSPHRASE, 'short')).toThrow('12 characters')
  expect(readFileSync(path, 'utf8')).toBe(sealed)
  change(PASSPHRASE, 'a new passphrase')
  expect(openMnemonic(readFileSync(path, 'utf8'), 'a new passphrase')).toBe(mnemonic)
  expect(() => openMnemonic(readFileSync(path, 'utf8'), PASSPHRASE)).toThrow('wrong passphrase')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})
