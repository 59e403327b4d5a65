import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { assert, type Random } from '../kernel/index.ts'

/**
 * Signing secrets at rest: AES-256-GCM, bound to the webhook they belong to, so that a row copied
 * over another opens nothing. The first bytes name the key, so that a wrong one is told apart.
 */
export type Secrets = {
  create(): string
  seal(webhook: string, secret: string): Buffer
  open(webhook: string, sealed: Buffer): string
  /** The first bytes of everything that the current key has sealed. */
  name: Buffer
}

const PREFIX = 'whsec_'
const NAME_BYTES = 4
const IV_BYTES = 12
const TAG_BYTES = 16

/** `key` seals; `others` open as well, while one key takes over from another. */
export function createSecrets(
  key: Uint8Array,
  random: Random,
  others: readonly Uint8Array[] = [],
): Secrets {
  const keys = [key, ...others]
  assert(
    keys.every(({ length }) => length === 32),
    'the key of signing secrets has 32 bytes',
  )
  const name = nameOf(key)
  return {
    name,
    create: () => PREFIX + Buffer.from(random.bytes(32)).toString('base64url'),
    seal(webhook, secret) {
      const iv = Buffer.from(random.bytes(IV_BYTES))
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      cipher.setAAD(Buffer.from(webhook))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([name, iv, cipher.getAuthTag(), text])
    },
    open(webhook, sealed) {
      const at = NAME_BYTES + IV_BYTES
      const its = keys.find((one) => sealed.subarray(0, NAME_BYTES).equals(nameOf(one)))
      assert(
        its,
        'a signing secret was sealed with another key; every node needs the same SECRETS_KEY_FILE',
      )
      const iv = sealed.subarray(NAME_BYTES, at)
      const decipher = createDecipheriv('aes-256-gcm', its, iv, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(webhook))
      decipher.setAuthTag(sealed.subarray(at, at + TAG_BYTES))
      const text = decipher.update(sealed.subarray(at + TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
  }
}

function nameOf(key: Uint8Array): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, NAME_BYTES)
}
