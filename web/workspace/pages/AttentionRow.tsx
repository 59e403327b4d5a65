import { useMutation } from '@tanstack/react-query'
import { patch, post } from '../../shared/api.ts'
import { IconAlert } from '../../shared/icons.tsx'
import { ButtonLink, Trouble } from '../../shared/Page.tsx'
import type { Item } from '../attention.ts'
import { againAgent, queryClient, webhooksQuery } from '../queries.ts'

/** What is wrong, and the one click that mends it. */
export function AttentionRow({ item: { title, text, remedy } }: { item: Item }) {
  const mend = useMutation({
    async mutationFn() {
      if (!('call' in remedy)) return
      if (remedy.call === 'enable') {
        await patch(`/webhooks/${remedy.webhook}`, { status: 'active' })
      } else await post(`/agent/configs/${remedy.config}/resume`)
    },
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
        againAgent(),
      ]),
  })
  return (
    <div className="notice">
      <IconAlert size={20} />
      <div>
        <b>{title}</b>
        <p className="line small">{text}</p>
      </div>
      {'call' in remedy ? (
        <button
          type="button"
          className="button small main"
          disabled={mend.isPending}
          onClick={() => mend.mutate()}
        >
          {remedy.name}
        </button>
      ) : (
        <ButtonLink to={remedy.to} look="small main">
          {remedy.name}
        </ButtonLink>
      )}
      <Trouble error={mend.error} />
    </div>
  )
}
