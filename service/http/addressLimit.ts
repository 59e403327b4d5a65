import type { Clock } from '../kernel/index.ts'
import { createWindows } from './windows.ts'

/** A count per client address and minute, for callers we cannot tell apart otherwise. */
export type AddressLimit = {
  /** Counts one and says how many seconds to wait when the limit is passed. */
  count(address: string): number | undefined
}

export function createAddressLimit(clock: Clock, limit: number): AddressLimit {
  const windows = createWindows(clock, limit)
  return { count: (address) => windows.count(networkOf(address)) }
}

/** One IPv6 customer has a whole /64; counting single addresses would count nobody. */
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
