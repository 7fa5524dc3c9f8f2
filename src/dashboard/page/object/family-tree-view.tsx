import { useMemo } from 'preact/hooks';
import type { KubernetesObject } from '../../protocol.ts';
import type { ResourceKind } from '../cluster/resource-kind.ts';
import { Age } from '../parts/age.tsx';
import { toneOf } from '../parts/tone.ts';
import { useRun } from '../parts/use-run.ts';
import { linkToObject, useApp } from '../shell/app-context.ts';
import { Family, type FamilyNode } from './family.ts';

/** Who owns the object and what it owns. */
export function FamilyTreeView({ kind, object }: { readonly kind: ResourceKind; readonly object: KubernetesObject }) {
  const { connection, discovery, moment } = useApp();
  const { uid = '', namespace = '' } = object.metadata ?? {};
  const family = useMemo(
    () => new Family(connection, discovery, { kind, namespace, uid }),
    [connection, discovery, kind, namespace, uid],
  );
  const isPast = moment.value !== undefined;
  useRun(async (signal) => (isPast ? undefined : family.run(signal)), [family, isPast]);
  const tree = family.tree.value;
  if (isPast) return null;
  return (
    <section class="card family">
      <h2>Owners and owned</h2>
      {tree === undefined ? (
        <p class="hint">Looking through all kinds…</p>
      ) : (
        <>
          <ul class="tree" role="tree" aria-label="Owners and owned">
            {tree.roots.map((node) => (
              <TreeNode key={node.row.uid} node={node} current={uid} />
            ))}
          </ul>
          {tree.isWhole ? null : <p class="hint">Looking through all kinds…</p>}
          {!tree.isWhole || tree.missingOwners.length === 0 ? null : (
            <p class="hint">Not found: {tree.missingOwners.join(', ')}</p>
          )}
          {tree.hidden.length === 0 ? null : (
            <p class="hint" title={tree.hidden.join(', ')}>
              {tree.hidden.length} kinds are not for you to see, so objects of theirs are missing here.
            </p>
          )}
        </>
      )}
    </section>
  );
}

function TreeNode({ node, current }: { readonly node: FamilyNode; readonly current: string }) {
  const { kind, row, summary, children, cut } = node;
  return (
    <li role="treeitem" aria-selected={row.uid === current} aria-expanded={children.length > 0 ? true : undefined}>
      <div class={`node ${row.uid === current ? 'current' : ''} ${row.isTerminating ? 'leaving' : ''}`}>
        <span class="kind">{kind.kind}</span>
        <a href={linkToObject(kind, row)}>{row.name}</a>
        <span class="summary">
          {summary.map((text) => (
            <span key={text} class={`state ${toneOf(text.slice(text.indexOf(' ') + 1))}`}>
              {text}
            </span>
          ))}
        </span>
        <small>
          <Age since={row.createdMs} />
        </small>
      </div>
      {children.length === 0 && cut === 0 ? null : (
        <ul role="group">
          {children.map((child) => (
            <TreeNode key={child.row.uid} node={child} current={current} />
          ))}
          {cut > 0 ? (
            <li role="none" class="hint">
              {cut} more
            </li>
          ) : null}
        </ul>
      )}
    </li>
  );
}
