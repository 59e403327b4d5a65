export type { Network } from './client.ts'
export { webhookRoutes } from './routes.ts'
export { createWebhooks, type WebhookOptions, type Webhooks } from './webhooks.ts'
