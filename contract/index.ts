import * as purchase from './purchase.ts'
import type { Route } from './route.ts'
import * as sandbox from './sandbox.ts'

export { type Caller, type HandledRoute, handle, Verbatim } from './handled.ts'
export { openApi } from './openapi.ts'
export * from './purchase.ts'
export {
  isRefusal,
  type Refusal,
  type RefusalCode,
  refusalBody,
  refusals,
  refuse,
} from './refusals.ts'
export { type Call, defineRoute, type Reply, type Route } from './route.ts'
export * from './sandbox.ts'

/** Every route of the client API, in the order the reference shows them. */
export const routes: readonly Route[] = Object.values(purchase)

/** Routes of the sandbox, which no production server has. */
export const sandboxRoutes: readonly Route[] = Object.values(sandbox)
