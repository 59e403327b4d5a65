import type { Clock } from '../kernel/index.ts'
import { createWindows } from './windows.ts'

/** A rate limit per client address and minute, for callers without a key. */
export type AddressLimit = {
  /** Counts a request; returns the seconds to wait above the limit. */
  count(address: string): number | undefined
  /** Further requests of a call that was counted as one; none is counted above the limit. */
  countMore(address: string, requests: number): number | undefined
}

export function createAddressLimit(clock: Clock, limit: number): AddressLimit {
  const windows = createWindows(clock, limit)
  return {
    count: (address) => windows.count(networkOf(address)),
    countMore: (address, requests) => windows.countMore(networkOf(address), requests),
  }
}

/** The network of an address: a /64 for IPv6, because one customer has a whole /64. */
export function networkOf(written: string): string {
  const address = written.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head.split(':')
  const missing = address.includes('::') ? 8 - groups.length - tail.split(':').length : 0
  const all = [...groups, ...Array(Math.max(missing, 0)).fill('0'), ...tail.split(':')]
  // Proxies may write one address in several ways: 0db8 is db8.
  const plain = all.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '') || '0')
  return plain.join(':')
}

export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}
