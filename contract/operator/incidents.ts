import { Type } from 'typebox'
import { EnumField, TextInput } from '../fields.ts'
import { Incident } from '../incident.ts'
import { defineRoute } from '../route.ts'
import { IMPACTS, PHASES } from '../statusWords.ts'
import { byId, group, why } from './fields.ts'

const Incidents = Type.Object({
  incidents: Type.Array(
    Type.Object({
      ...Incident.properties,
      withdrawn: Type.Boolean({ description: 'Opened by mistake, and shown nowhere.' }),
    }),
    { description: 'Open ones, then newest first; at most 100.' },
  ),
})
const reply = { status: 200, schema: Incidents, description: 'All of them.' } as const
const text = TextInput('Plain text for clients, 1 to 2,000 characters.', 20_000)

export const getOperatorIncidents = defineRoute({
  name: 'getOperatorIncidents',
  method: 'GET',
  path: '/incidents',
  auth: 'operator',
  group,
  summary: 'Incidents of the status page',
  reply,
  refusals: [],
})

export const postOperatorIncident = defineRoute({
  name: 'postOperatorIncident',
  method: 'POST',
  path: '/incidents',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Open an incident on the status page',
  body: Type.Object({
    title: TextInput('1 to 120 characters, one line, plain text.', 1_000),
    impact: EnumField(IMPACTS, 'What its components count as meanwhile.'),
    components: Type.Array(TextInput('Id of a component.', 40), {
      maxItems: 20,
      description: 'At least one.',
    }),
    text,
    why,
  }),
  reply,
  refusals: ['validation_error'],
})

export const postOperatorIncidentUpdate = defineRoute({
  name: 'postOperatorIncidentUpdate',
  method: 'POST',
  path: '/incidents/{id}/updates',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Write what is known now; resolved ends an incident that a person opened',
  params: byId,
  body: Type.Object({ phase: EnumField(PHASES), text, why }),
  reply,
  refusals: ['not_found', 'validation_error'],
})

export const postOperatorIncidentWithdrawal = defineRoute({
  name: 'postOperatorIncidentWithdrawal',
  method: 'POST',
  path: '/incidents/{id}/withdrawal',
  auth: 'operator',
  secondFactor: 'needed',
  group,
  summary: 'Take back an incident that a person opened by mistake',
  params: byId,
  body: Type.Object({ why }),
  reply,
  refusals: ['not_found', 'validation_error'],
})
