import { Type } from 'typebox'
import { EnumField, Nullable, TimeField } from './fields.ts'

/** Parts of the service whose state is shown to everybody, in the order of the status page. */
export const COMPONENTS = {
  api: 'API and workspace',
  purchases: 'Purchases',
  delivery: 'Delivery of Energy',
  autoenergy: 'AutoEnergy',
  agent: 'Pay pages and agent program',
  webhooks: 'Webhooks',
  chain: 'Deposits and the TRON network',
} as const

export type Component = keyof typeof COMPONENTS
export const COMPONENT_IDS = Object.keys(COMPONENTS) as Component[]

export const IMPACTS = ['degraded', 'outage'] as const
export type Impact = (typeof IMPACTS)[number]

export const STATES = ['operational', 'degraded', 'outage', 'maintenance', 'unknown'] as const
export type ComponentState = (typeof STATES)[number]
export const DAY_STATES = ['operational', 'degraded', 'outage', 'maintenance', 'no_data'] as const
export type DayState = (typeof DAY_STATES)[number]

export const PHASES = ['investigating', 'identified', 'monitoring', 'resolved'] as const
export type Phase = (typeof PHASES)[number]

export const ANNOUNCEMENT_KINDS = ['announcement', 'maintenance'] as const
export type AnnouncementKind = (typeof ANNOUNCEMENT_KINDS)[number]
export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]
/** Where an announcement is shown. */
export const PLACES = ['workspace', 'pay', 'status'] as const
export type Place = (typeof PLACES)[number]

export const componentIds = Type.Array(
  Type.String({ description: 'Id of a component; expect new ones.' }),
  { description: 'What it touches.' },
)

export const Notice = Type.Object({
  id: Type.String(),
  severity: EnumField(SEVERITIES),
  title: Type.String({ description: 'Plain text.' }),
  text: Type.String({ description: 'Plain text with line ends; may be empty.' }),
  link: Nullable(Type.String({ description: 'More about it, https.' })),
  from: TimeField('From when it is shown; of maintenance: when it begins.'),
})

export const Announcement = Type.Object({
  ...Notice.properties,
  until: Nullable(TimeField('Until when it is shown; null: until it is withdrawn.')),
})
