import type { ComponentChildren } from 'preact';
import type { Change } from '../../protocol.ts';
import { formatTime } from '../browser/ages.ts';
import { shortUser } from '../parts/short-user.ts';
import { StateMark } from '../parts/state-mark.tsx';
import type { Tone } from '../parts/tone.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';

export interface ChangeTableProps {
  readonly changes: readonly Change[];
  readonly linkOf: (change: Change) => string;
  readonly current?: number | undefined;
  /** All changes are of one object, which needs no name in each row. */
  readonly isOneObject?: boolean;
  /** Buttons at the end of a row. */
  readonly actionsOf?: (change: Change) => ComponentChildren;
}

const ROW_HEIGHT = 30;
const TONES: Readonly<Record<string, Tone>> = { create: 'good', delete: 'bad', update: 'plain' };

/** Changes of objects, the newest first: when, what, by whom. */
export function ChangeTable({ changes, linkOf, current, isOneObject, actionsOf }: ChangeTableProps) {
  if (changes.length === 0) return <p class="empty">Nothing has changed.</p>;
  return (
    <VirtualRows
      class="changes"
      label="Changes"
      count={changes.length}
      rowHeight={ROW_HEIGHT}
      renderRow={(index) => {
        const change = changes[index];
        if (change === undefined) return null;
        const { revision, time, verb, kind, namespace, name, subresource, manager, user } = change;
        const fields = fieldsOf(change);
        const classes = ['change-row', revision === current && 'selected', isOneObject === true && 'one-object'];
        return (
          <div key={revision} class={classes.filter(Boolean).join(' ')} role="listitem">
            <time title={time}>{formatTime(time)}</time>
            <StateMark text={verb} tone={TONES[verb] ?? 'plain'} />
            {isOneObject === true ? (
              <a
                class="fields"
                href={linkOf(change)}
                title={fields}
                aria-current={revision === current ? 'true' : undefined}
              >
                {fields === '' ? `revision ${revision}` : fields}
              </a>
            ) : (
              <>
                <span class="kind">{kind}</span>
                <a href={linkOf(change)} aria-current={revision === current ? 'true' : undefined}>
                  {namespace === undefined ? name : `${namespace}/${name}`}
                </a>
                <span class="fields hint" title={fields}>
                  {fields}
                </span>
              </>
            )}
            <span class="who-changed hint" title={user ?? manager}>
              {manager ?? shortUser(user ?? '')}
              {subresource === undefined ? null : <small> {subresource}</small>}
            </span>
            <span class="row-actions">{actionsOf?.(change)}</span>
          </div>
        );
      }}
    />
  );
}

function fieldsOf({ fields = [] }: Change): string {
  return fields.join(', ');
}
