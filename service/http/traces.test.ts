import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCollector } from '../../proof/testing/collector.ts'
import { until } from '../../proof/testing/until.ts'
import { createLog } from '../kernel/index.ts'
import { createTraces, type Span, spanIdOf, traceOf } from './traces.ts'

let collector: Awaited<ReturnType<typeof openCollector>>
beforeAll(async () => {
  collector = await openCollector()
})
afterAll(() => collector.close())

const span = (name: string): Span => {
  const trace = traceOf('01930000-0000-7000-8000-000000000001')
  return { trace, id: spanIdOf(trace, name), name, startMs: 1_700_000_000_000.5, endMs: 1 }
}

function open() {
  const lines: string[] = []
  const log = createLog('warn', { write: (line) => void lines.push(line) })
  return { lines, traces: createTraces({ url: collector.url, role: 'all', log, everyMs: 1 }) }
}
const named = (name: string) => collector.spans.filter((one) => one.name === name)

test('a span has the ids of its order and never ends before it begins', async () => {
  const { traces } = open()
  traces.add(span('one'))
  await traces.close()
  expect(named('one')).toMatchObject([
    {
      traceId: '01930000000070008000000000000001',
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      startTimeUnixNano: '1700000000000500000',
      endTimeUnixNano: '1700000000000500000',
    },
  ])
})

test('a collector that refuses is told of once, and spans are sent again when it is back', async () => {
  const { traces, lines } = open()
  collector.answerWith(503)
  traces.add(span('lost'))
  await until('the refusal is logged', () => lines.length > 0)
  traces.add(span('lost too'))
  await until('the second was sent', () => collector.refused() >= 2)
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['traces_not_sent'])
  collector.answerWith(200)
  traces.add(span('back'))
  await until('the span', () => named('back').length === 1)
  await traces.close()
  expect(named('lost')).toEqual([])
})

test('a job is asked again until it has something to tell, but not for ever', async () => {
  const { traces } = open()
  let asked = 0
  traces.later(async () => {
    asked += 1
    return asked < 3 ? undefined : [span('late')]
  })
  await until('its span', () => named('late').length === 1)
  let never = 0
  traces.later(async () => {
    never += 1
    return undefined
  })
  traces.later(async () => {
    throw new Error('a job that fails stops nobody')
  })
  await until('it is given up', () => never === 5)
  traces.add(span('after'))
  await traces.close()
  expect([never, named('after').length]).toEqual([5, 1])
})
