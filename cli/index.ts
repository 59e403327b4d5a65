export { clientCommands } from './client/index.ts'
