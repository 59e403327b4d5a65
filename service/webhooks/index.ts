export type { Network } from './client.ts'
export { retention } from './retention.ts'
export { webhookRoutes } from './routes.ts'
export { createWebhooks, type WebhookOptions, type Webhooks } from './webhooks.ts'
