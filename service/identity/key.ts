import { hash } from 'node:crypto'
import type { Random } from '../kernel/index.ts'

/** An API key as the client holds it: a prefix that secret scanners find, and 256 random bits. */
export type ApiKey = string

const FORM = /^erg_[A-Za-z0-9_-]{43}$/

export function newApiKey(random: Random): ApiKey {
  return `erg_${Buffer.from(random.bytes(32)).toString('base64url')}`
}

export function looksLikeKey(text: string): boolean {
  return FORM.test(text)
}

/** The stored form. A fast hash is enough, because a key is random. */
export function hashKey(key: ApiKey): string {
  return hash('sha256', key)
}
