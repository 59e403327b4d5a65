import { createWitness, type WitnessOptions } from './witness.ts'

// The witness as a separate process, so that faults do not share its event loop.

export type Order =
  | { do: 'begin'; options: WitnessOptions }
  | { do: 'load'; perSecond: number; readers: number }
  | { do: 'rest' }
  | { do: 'verify' }

let witness: ReturnType<typeof createWitness> | undefined
process.on('message', async (order: Order) => {
  if (order.do === 'begin') {
    witness = createWitness(order.options)
    setInterval(() => process.send?.({ tally: witness!.tally }), 50)
  } else if (order.do === 'load') witness!.load(order.perSecond, order.readers)
  else if (order.do === 'rest') {
    await witness!.rest()
    process.send!({ tally: witness!.tally })
    process.send!({ rested: true })
  } else process.send!({ verdict: await witness!.verify() })
})
process.on('disconnect', () => process.exit(0))
process.send!('ready')
