import { type LoadOptions, runLoad } from './load.ts'

// The load generator as a separate process: it must not share an event loop with what it measures.
process.on('message', async (options: LoadOptions) => {
  try {
    process.send!({ measured: await runLoad(options) })
  } catch (error) {
    process.send!({ failed: String(error) })
  }
})
process.once('disconnect', () => process.exit(0))
process.send!('ready')
