import { type EventType, eventExamples, eventTypes } from '@ergon/contract'
import { fieldTable } from './fields.ts'
import type { Source } from './page.ts'

/** Every event with its payload. How to verify a delivery is in the guide. */
export function eventsPage(): Source {
  const types = Object.keys(eventTypes) as EventType[]
  const text = `# Events

One signed HTTPS POST to your webhook for each event. Chats are told the same in words.

| Header | Meaning |
|---|---|
| \`X-Service-Event\` | the type |
| \`X-Service-Delivery\` | the delivery; the same at each retry |
| \`X-Service-Timestamp\` | Unix seconds when it was signed |
| \`X-Service-Signature\` | \`v1=\` and the hex of HMAC-SHA256 over \`{timestamp}.{raw body}\`, keyed with your \`signing_secret\` |
| \`X-Service-Signature-Next\` | the same by the new secret, while a rotation overlaps |

Verify the signature before you read the body, with the \`signing_secret\` that the webhook was created with: [a whole receiver in
TypeScript and in Python](/docs/guide/webhooks#verify-every-delivery). The \`id\` of an event stays the same when it is sent again.

${types.map(eventText).join('\n')}`
  return { path: 'events', text }
}

function eventText(type: EventType): string {
  const { when, data, default: byDefault } = eventTypes[type]
  const choice =
    byDefault === null
      ? 'It cannot be switched on or off.'
      : `${byDefault ? 'On' : 'Off'} by default.`
  const only =
    type === 'webhook.disabled'
      ? ' Only chats and e-mail are told it: no webhook gets it, and it is not in the union of the SDK.'
      : ''
  const body = {
    id: '0198f3f2-6c1e-7d52-9a3b-5a8f6f0b1c2d',
    type,
    created_at: '2026-11-14T12:34:56.789Z',
    audience: 'customer',
    data: eventExamples[type],
  }
  return `## ${type} {#${type}}

${when} ${choice}${only}

\`\`\`json
${JSON.stringify(body, null, 2)}
\`\`\`

${fieldTable('data', data, `${type}-data`)}`
}
