import { withoutManagedFields } from '../cluster/object-parts.ts';
import type { TabProps } from '../object/tab-props.ts';
import { toYaml } from '../yaml/yaml-lines.ts';
import { Editing } from './editing.tsx';

/** Changes the object: text, dry run, difference, and only then the write. */
export function EditTab({ kind, object, isRevealed }: TabProps) {
  if (kind.group === '' && kind.resource === 'secrets' && !isRevealed)
    return (
      <p class="empty">The values of this Secret are hidden. Show them to edit it: what is hidden would be lost.</p>
    );
  const { namespace } = object.metadata ?? {};
  return (
    <Editing
      key={object.metadata?.uid}
      kind={kind}
      namespace={namespace}
      live={object}
      text={toYaml(withoutManagedFields(object))}
    />
  );
}
