import Fastify from 'fastify'

// The baseline of reads: Fastify without our code, sending the same JSON.
const answers = JSON.parse(process.argv[2]!) as Record<string, unknown>
const app = Fastify()
for (const [path, answer] of Object.entries(answers)) app.get(path, async () => answer)
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.once('disconnect', () => process.exit(0))
process.send!({ url })
