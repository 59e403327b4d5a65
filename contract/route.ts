import type { Static, TObject, TSchema } from 'typebox'
import type { RefusalCode } from './refusals.ts'

/**
 * One endpoint as data. The server mounts it, OpenAPI and the reference print it, tests enumerate it.
 * `auth`: key = X-API-Key, session = the workspace's cookie, both = either mount, operator = the
 * console's cookie, public = none of them.
 */
export type Route = {
  name: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  auth: 'key' | 'session' | 'both' | 'operator' | 'public'
  /**
   * A code of the authenticator app or a passkey, shown at most ten minutes ago. `needed`: nobody without one gets
   * through. `if_set_up`: asked of who has one. Adds `second_factor_required` and `code_required`.
   */
  secondFactor?: 'needed' | 'if_set_up'
  group: string
  summary: string
  description?: string
  params?: TObject
  query?: TObject
  headers?: TObject
  body?: TObject
  /** The call counts as many requests as this list of its body has items. */
  countsItemsOf?: string
  /** `stream`: server-sent events, each message of that schema. */
  reply: { status: 200 | 201 | 204; schema: TSchema; description: string; stream?: true }
  refusals: readonly RefusalCode[]
}

export function defineRoute<const R extends Route>(route: R): R {
  return route
}

type Part<R extends Route, P extends keyof R> = R[P] extends TSchema ? Static<R[P]> : undefined

/** What a handler of route R receives, after every part has been validated. */
export type Call<R extends Route> = {
  params: Part<R, 'params'>
  query: Part<R, 'query'>
  headers: Part<R, 'headers'>
  body: Part<R, 'body'>
}

export type Reply<R extends Route> = Static<R['reply']['schema']>
