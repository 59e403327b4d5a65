import { createServer } from 'node:http'
import { verifyWebhook, WebhookError, type WebhookEvent } from '@ergon/sdk'

const secret = process.env.SECRET!
const handled = new Set<string>()

createServer(async (request, response) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    const body = Buffer.concat(chunks)
    const event = await verifyWebhook({ secret, headers: request.headers, body })
    response.writeHead(204).end()
    if (handled.has(event.id)) return
    handled.add(event.id)
    console.log(wordsOf(event))
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    console.log('refused:', error.problem)
    response.writeHead(400).end()
  }
}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log('listening'))

function wordsOf(event: WebhookEvent): string {
  switch (event.type) {
    case 'order.status_changed':
      return `order ${event.data.order_id} is ${event.data.status}`
    // Types that you do not know will come, too.
    default:
      return event.type
  }
}
