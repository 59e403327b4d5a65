import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { addressDeriver } from '@ergon/tron'
import { termsTroubles } from '../../identity/index.ts'
import type { Settings } from '../../kernel/index.ts'
import { type Check, fine, ill, type Patient } from './check.ts'
import { checkDisk } from './doctorDisk.ts'
import { remedyOfMode } from './secretFile.ts'

/** Files on this machine: keys, the data folder, the built pages. */
export function checkFiles(patient: Patient, settings: Settings): Check[] {
  return [
    ...checkKeys(settings),
    ...checkDisk(patient, settings.DATA_DIR, 'DATA_DIR'),
    ...checkPages(patient, settings),
    ...checkTerms(settings),
  ]
}

const SECRETS_MADE = 'Copy it from another node, or leave the setting empty to have one made.'

/** A setting, its file, what to do when the file is missing, and whether the setting must be there. */
type KeyFile = { setting: string; file: string; remedy: string; isNeeded: boolean }

function checkKeys(settings: Settings): Check[] {
  const { DEPOSIT_XPUB, ROLE, MODE, DATA_DIR, SIGNER_DIR } = settings
  const isSandbox = MODE === 'sandbox'
  const checks = isSandbox
    ? [fine('keys', 'The sandbox uses its published ones.')]
    : [checkXpub(DEPOSIT_XPUB)]
  const signs = ROLE === 'all' && !isSandbox
  const { SECRETS_KEY_FILE, SIGNER_KEY_FILE, SIGNER_PASSPHRASE_FILE, SIGNER_MNEMONIC_FILE } =
    settings
  const files: KeyFile[] = [
    {
      setting: 'SECRETS_KEY_FILE',
      file: SECRETS_KEY_FILE,
      remedy: SECRETS_MADE,
      isNeeded: false,
    },
    {
      setting: 'SIGNER_KEY_FILE',
      file: SIGNER_KEY_FILE,
      remedy: 'Make it with npx ergon keys create.',
      isNeeded: signs,
    },
    {
      setting: 'SIGNER_PASSPHRASE_FILE',
      file: SIGNER_PASSPHRASE_FILE,
      remedy: 'Write the passphrase there.',
      isNeeded: signs,
    },
    {
      setting: 'SIGNER_MNEMONIC_FILE',
      file: SIGNER_MNEMONIC_FILE,
      remedy: 'Write the words there, or use SIGNER_KEY_FILE.',
      isNeeded: false,
    },
  ]
  for (const { setting, file, remedy, isNeeded } of files) {
    if (file) checks.push(checkFile(setting, file, remedy))
    else if (isNeeded) checks.push(ill('keys', `${setting} is not set.`, `Set it. ${remedy}`))
  }
  const made = join(DATA_DIR, 'secrets.key')
  const others = SECRETS_KEY_FILE ? [] : [made]
  if (SIGNER_DIR) others.push(SIGNER_DIR)
  for (const path of others) if (existsSync(path)) checks.push(checkAlone('', path))
  return checks
}

function checkXpub(xpub: string): Check {
  const remedy = 'Set DEPOSIT_XPUB to what npx ergon keys show prints.'
  if (!xpub) return ill('keys', 'DEPOSIT_XPUB is missing: no deposit address can be made.', remedy)
  try {
    addressDeriver(xpub)(0)
    return fine('keys', 'DEPOSIT_XPUB is an extended public key.')
  } catch {
    return ill('keys', 'DEPOSIT_XPUB is not an extended public key.', remedy)
  }
}

function checkFile(setting: string, file: string, remedy: string): Check {
  if (!existsSync(file)) return ill('keys', `${setting}: there is no file ${file}.`, remedy)
  return checkAlone(setting, file)
}

/** Whether others may neither read nor write it. */
function checkAlone(setting: string, path: string): Check {
  const remedy = remedyOfMode(path)
  const before = setting && `${setting}: `
  if (!remedy) return fine('keys', `${before}${path} is for us alone.`)
  return ill('keys', `${before}others can read or change ${path}.`, remedy)
}

function checkPages({ pagesTrouble }: Patient, { ROLE }: Settings): Check[] {
  if (ROLE !== 'all' && ROLE !== 'api') return []
  const trouble = pagesTrouble()
  if (trouble) return [ill('pages', trouble, 'npm run build')]
  return [fine('pages', 'Workspace, console and pay page are built.')]
}

const TERMS = 'Write the text with a lawyer, and name its file.'

function checkTerms(settings: Settings): Check[] {
  const { ROLE, MODE, WEB_URL } = settings
  const hasPages = (ROLE === 'all' || ROLE === 'api') && (MODE === 'sandbox' || WEB_URL !== '')
  if (!hasPages) return []
  return termsTroubles(settings).map(({ setting, file, trouble }) => {
    if (trouble) return ill('terms', trouble, 'Name a text file that the service may read.')
    if (file) return fine('terms', `${setting} is a text that can be shown.`)
    if (MODE === 'sandbox')
      return fine('terms', `${setting} is not set: the sandbox shows a sample.`)
    return ill('terms', `${setting} is not set: clients sign up without accepting any.`, TERMS)
  })
}
