import { Type } from 'typebox'
import { EnumField, Nullable, TimeField } from './fields.ts'
import { componentIds, IMPACTS, PHASES } from './statusWords.ts'

export const Incident = Type.Object({
  id: Type.String(),
  title: Type.String({ description: 'Plain text.' }),
  origin: EnumField(
    ['automatic', 'written'],
    'automatic: opened and closed by our own measurements. written: by a person.',
  ),
  impact: EnumField(IMPACTS, 'The worst so far.'),
  components: componentIds,
  began_at: TimeField('When it began.'),
  ended_at: Nullable(TimeField('When it ended; null: it goes on.')),
  updates: Type.Array(
    Type.Object({
      at: TimeField('When it was written.'),
      phase: EnumField(PHASES),
      text: Type.String({ description: 'Plain text.' }),
    }),
    { description: 'Newest first.' },
  ),
})
