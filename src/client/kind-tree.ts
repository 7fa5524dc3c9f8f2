import { pluralOf } from '../api/client.ts';
import { clusterKind, type Kind, namespacedKind } from './kind.ts';

/**
 * Kinds by group, version and plural, from a text for each group that is short in everybody's bundles: the group as it begins an apiVersion, then,
 * each behind a `;`, versions and the kinds that are in all of them. Kinds without namespaces have a `*`, those of unusual plurals say it.
 *
 * Example: `{ core: ';v1 Pod Endpoints=endpoints Node*' }` gives `core.v1.pods`, `core.v1.endpoints` and `core.v1.nodes`;
 * `{ autoscaling: 'autoscaling/;v1,v2 HorizontalPodAutoscaler' }` gives that kind in two versions.
 */
export function kindTree<T>(texts: Readonly<Record<string, string>>): T {
  return mapValues(texts, (text) => {
    const [group = '', ...entries] = text.split(';');
    const tree: Record<string, Record<string, Kind>> = {};
    for (const entry of entries) {
      const [versions = '', ...words] = entry.split(' ');
      for (const version of versions.split(',')) {
        const kinds = words.map((word) => kindOf(group + version, word));
        Object.assign((tree[version] ??= {}), Object.fromEntries(kinds.map((kind) => [kind.plural, kind])));
      }
    }
    return tree;
  }) as T;
}

function kindOf(apiVersion: string, word: string): Kind {
  const [kind = '', plural = pluralOf(kind)] = word.replace('*', '').split('=');
  return (word.endsWith('*') ? clusterKind : namespacedKind)({ apiVersion, kind, plural });
}

/** The same names with other values. */
export function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
