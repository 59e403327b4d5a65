export { type Chat, type ChatOptions, createChat } from './chat.ts'
export { retention } from './retention.ts'
export { chatRoutes } from './routes.ts'
