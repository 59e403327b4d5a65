/** Changes when an API node comes or has gone: service/app/dueWatch.ts asks for it. */
export const NODES = '(select count(*) from http.node)'
