// The entry of the package, where ergon.ts is that of the repository: without its cache of compiled code.
import { main } from './main.ts'

process.exitCode = await main(process.argv.slice(2))
