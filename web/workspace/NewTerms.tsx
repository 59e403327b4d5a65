import type { getTerms, Reply } from '@ergon/contract'
import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { post } from '../shared/api.ts'
import { Trouble } from '../shared/Page.tsx'
import { queryClient, termsQuery } from './queries.ts'

type Document = Reply<typeof getTerms>['documents'][number]

const NAMES = { terms: 'terms of use', privacy: 'privacy notice' } as const

/** On every page while a new version of the operator's texts is not accepted. Nothing else waits for it. */
export default function NewTerms({ documents }: { documents: Document[] }) {
  const accept = useMutation({
    mutationFn: () =>
      post(
        '/terms',
        Object.fromEntries(documents.map((one) => [`${one.document}_version`, one.version])),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: termsQuery.queryKey }),
  })
  return (
    <Alert color="yellow" m="md" role="status" title="There is something to read">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {documents.map((one, at) => (
            <span key={one.document}>
              {at > 0 && ' and '}
              <Anchor href={`/${one.document}`} target="_blank" underline="always">
                {NAMES[one.document]}
              </Anchor>
              , version {one.version}
            </span>
          ))}
          . Everything works as before until you accept.
        </Text>
        <Trouble error={accept.error} />
        <Group>
          <Button size="xs" loading={accept.isPending} onClick={() => accept.mutate()}>
            I have read and accept {documents.length > 1 ? 'them' : 'it'}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
