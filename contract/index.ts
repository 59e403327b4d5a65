import * as agent from './agent.ts'
import * as announcements from './announcements.ts'
import * as autoenergy from './autoenergy.ts'
import * as chat from './chat.ts'
import * as checkout from './checkout.ts'
import * as invoices from './invoices.ts'
import * as operator from './operator.ts'
import * as passkeys from './passkeys.ts'
import * as pay from './pay.ts'
import * as open from './public.ts'
import * as publicStatus from './publicStatus.ts'
import * as purchase from './purchase.ts'
import type { Route } from './route.ts'
import * as sandbox from './sandbox.ts'
import * as sandboxChat from './sandboxChat.ts'
import * as sandboxNode from './sandboxNode.ts'
import * as session from './session.ts'
import * as webhooks from './webhooks.ts'
import * as workspace from './workspace.ts'

export * from './agent.ts'
export * from './announcements.ts'
export * from './autoenergy.ts'
export * from './chat.ts'
export * from './checkout.ts'
export { eventExamples } from './eventExamples.ts'
export * from './events.ts'
export {
  Answers,
  type Caller,
  EventStream,
  type HandledRoute,
  handle,
  Verbatim,
} from './handled.ts'
export * from './invoices.ts'
export { type EnergyBounds, openApi } from './openapi.ts'
export { BOOKS_GROUPS, type BooksGroup } from './operator/books.ts'
export * from './operator.ts'
export * from './passkeys.ts'
export * from './pay.ts'
export * from './public.ts'
export * from './publicStatus.ts'
export * from './purchase.ts'
export { refusalHelp } from './refusalHelp.ts'
export {
  docUrlOf,
  faultsBody,
  INVALID_REQUEST,
  isRefusal,
  type Refusal,
  type RefusalCode,
  refusalBody,
  refusals,
  refuse,
  refuseFor,
  wireCode,
} from './refusals.ts'
export { isRole, mayAct, ROLES, type Role } from './role.ts'
export { type Call, defineRoute, type Reply, type Route } from './route.ts'
export * from './sandbox.ts'
export * from './sandboxChat.ts'
export * from './sandboxNode.ts'
export * from './session.ts'
export {
  ANNOUNCEMENT_KINDS,
  type AnnouncementKind,
  COMPONENT_IDS,
  COMPONENTS,
  type Component,
  type ComponentState,
  type DayState,
  IMPACTS,
  type Impact,
  PHASES,
  type Phase,
  PLACES,
  type Place,
  SEVERITIES,
  type Severity,
} from './statusWords.ts'
export * from './webhooks.ts'
export * from './workspace.ts'

/** Every route of the client API, in the order the reference shows them. */
export const routes: readonly Route[] = [
  ...Object.values(purchase),
  ...Object.values(autoenergy),
  ...Object.values(webhooks),
  ...Object.values(agent),
  ...Object.values(open),
  ...Object.values(publicStatus),
  ...Object.values(pay),
]

/** Routes that only the workspace has, beside those of the client API that say `both`. */
export const workspaceRoutes: readonly Route[] = [
  ...Object.values(checkout),
  ...Object.values(session),
  ...Object.values(passkeys),
  ...Object.values(workspace),
  ...Object.values(announcements),
  ...Object.values(invoices),
  ...Object.values(chat),
]

/** Routes of the console, for operators alone. */
export const operatorRoutes: readonly Route[] = Object.values(operator)

/** Routes of the sandbox, which no production server has. */
export const sandboxRoutes: readonly Route[] = [
  ...Object.values(sandbox),
  ...Object.values(sandboxChat),
  ...Object.values(sandboxNode),
]
