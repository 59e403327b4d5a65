import type { Route } from '@ergon/contract'

export function exampleOf(_route: Route): string {
  return ''
}
