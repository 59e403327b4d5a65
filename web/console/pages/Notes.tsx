import { Button, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Trouble } from '../../shared/Page.tsx'
import { When } from '../../shared/When.tsx'
import { act, notesQuery } from '../calls.ts'
import { useMay } from '../useMay.ts'

/** What operators wrote down about an account; its client never reads it. */
export function Notes({ id }: { id: string }) {
  const { data } = useQuery(notesQuery(id))
  const [text, setText] = useState('')
  const path = `/accounts/${id}/notes`
  const may = useMay(path)
  const write = useMutation({
    mutationFn: () => act(path, { text }),
    onSuccess: () => setText(''),
  })
  return (
    <Stack gap="xs">
      <Textarea
        label="Note"
        description="For operators alone. Notes stay."
        maxLength={2000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Trouble error={write.error} />
      <div>
        <Button
          size="xs"
          variant="default"
          loading={write.isPending}
          disabled={!may || text.trim() === ''}
          onClick={() => write.mutate()}
        >
          Write note
        </Button>
      </div>
      {data?.notes.map((note) => (
        <div key={note.id}>
          <Text style={{ whiteSpace: 'pre-wrap' }}>{note.text}</Text>
          <Text size="sm" c="dimmed">
            {note.who}, <When at={note.at} />
          </Text>
        </div>
      ))}
    </Stack>
  )
}
