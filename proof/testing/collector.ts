import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Value = { stringValue?: string; doubleValue?: number }
type OtlpSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Value }[]
  links: { traceId: string; spanId: string }[]
  status: { code?: number }
}
export type Collected = Omit<OtlpSpan, 'attributes'> & {
  role: string
  attributes: Record<string, string | number>
}

const plain = (attributes: OtlpSpan['attributes']) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.doubleValue!]),
  )

/** An OpenTelemetry collector that keeps what it is sent. */
export async function openCollector() {
  const spans: Collected[] = []
  let text = ''
  let status = 200
  let refused = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const isTraces = request.url === '/v1/traces' && request.method === 'POST'
    if (isTraces && status === 200) {
      text += body
      for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
        const role = String(plain(resource.attributes)['ergon.role'])
        for (const { spans: some } of scopeSpans) {
          for (const span of some as OtlpSpan[]) {
            spans.push({ ...span, role, attributes: plain(span.attributes) })
          }
        }
      }
    }
    if (status !== 200) refused += 1
    response.writeHead(isTraces ? status : 404, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** Everything that was sent, as it came. */
    text: () => text,
    refused: () => refused,
    answerWith(code: number) {
      status = code
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
