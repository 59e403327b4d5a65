/** Changes with what processes keep in memory about clients: service/app/dueWatch.ts asks for it. */
export const CLIENTS = '(select number from identity.client_revision)'
