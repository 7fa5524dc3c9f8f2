import { managedFieldsOf, memberAt } from '../cluster/object-parts.ts';
import { DifferenceView } from '../yaml/difference-view.tsx';
import { ownersOf } from '../yaml/field-owners.ts';
import type { TabProps } from './tab-props.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What was applied last beside what is there now, as far as both speak of the same fields. */
export function AppliedTab({ object }: TabProps) {
  const text = memberAt(object, ['metadata', 'annotations', LAST_APPLIED]);
  const applied = typeof text === 'string' ? parse(text) : undefined;
  const appliers = managedFieldsOf(object).filter(({ operation }) => operation === 'Apply');
  if (applied === undefined) {
    if (appliers.length === 0) return <p class="empty">It was never applied: it was created or updated otherwise.</p>;
    const owned = ownersOf(object, appliers);
    return (
      <div class="applied-tab">
        <p class="toolbar hint">
          Applied on the server by {appliers.map(({ manager }) => manager).join(', ')}, which therefore own these fields
          as they are:
        </p>
        <ul class="field-list">
          {[...owned].map(([path, managers]) => (
            <li key={path}>
              <code>{(JSON.parse(path) as (string | number)[]).join('.')}</code>{' '}
              <small>{managers.map(({ manager }) => manager).join(', ')}</small>
            </li>
          ))}
        </ul>
      </div>
    );
  }
  return (
    <div class="applied-tab">
      <p class="toolbar hint">
        Removed lines are what kubectl apply was given, added lines are what is there now. Fields that were not applied
        are left out.
      </p>
      <DifferenceView before={applied} after={sameFields(object, applied)} label="Applied and live" />
    </div>
  );
}

/** The part of `live` that has the fields of `wanted`: members by name, elements of lists by their `name`, or else by their place. */
function sameFields(live: unknown, wanted: unknown): unknown {
  if (Array.isArray(wanted) && Array.isArray(live)) {
    return live.map((element, index) => sameFields(element, counterpartOf(element, wanted) ?? wanted[index]));
  }
  if (typeof wanted !== 'object' || wanted === null || typeof live !== 'object' || live === null) return live;
  const names = Object.keys(wanted).filter((name) => Object.hasOwn(live, name));
  const inner = names.map((name) => [name, sameFields(memberAt(live, [name]), memberAt(wanted, [name]))]);
  return Object.fromEntries(inner);
}

function counterpartOf(element: unknown, list: readonly unknown[]): unknown {
  const name = memberAt(element, ['name']);
  return name === undefined ? undefined : list.find((other) => memberAt(other, ['name']) === name);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
