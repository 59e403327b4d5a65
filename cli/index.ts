export { clientCommands } from './client/index.ts'
export { main } from './main.ts'
