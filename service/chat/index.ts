export { type Chat, type ChatOptions, createChat } from './chat.ts'
export { chatRoutes } from './routes.ts'
